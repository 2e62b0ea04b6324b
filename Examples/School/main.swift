// Students, teachers and their courses, with generated accessors.
//
//     swift run School [FOLDER]
import CoreData
import Foundation

let folder = CommandLine.arguments.dropFirst().first ?? NSTemporaryDirectory()
let modelURL = Bundle.module.url(forResource: "School", withExtension: "xcdatamodeld")!
let container = NSPersistentContainer(
    name: "School", managedObjectModel: NSManagedObjectModel(contentsOf: modelURL)!)
container.persistentStoreDescriptions = [
    NSPersistentStoreDescription(
        url: URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent("School.sqlite"))
]
container.loadPersistentStores { _, error in
    if let error { stop(error) }
}
let context = container.viewContext
do { try run() } catch { stop(error) }

/// Ends the program with a sentence. An application would show it and go on.
func stop(_ error: any Error) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("School: \(error.localizedDescription)\n".utf8))
    exit(1)
}

func course(_ title: String) -> Course {
    let course = Course(context: context)
    course.title = title
    return course
}

/// Removes what an earlier run left.
func removeAll() throws {
    for entity in ["Course", "Student", "Teacher"] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).forEach(context.delete)
    }
    try context.save()
}

@MainActor func run() throws {
    try removeAll()
    let (algebra, history, music) = (course("Algebra"), course("History"), course("Music"))
    let noether = Teacher(context: context)
    noether.name = "Noether"
    noether.addToCourses(algebra)
    noether.addToCourses(NSOrderedSet(array: [history]))
    noether.insertIntoCourses(music, at: 0)

    let students = ["Ada", "Ben", "Cleo"].enumerated().map { index, name in
        let student = Student(context: context)
        student.name = name
        student.grade = Int16(index + 1)
        student.addToCourses(algebra)
        return student
    }
    students[0].addToCourses(NSSet(array: [history, music]))
    music.addToStudents(students[2])
    students[1].removeFromCourses(algebra)
    try context.save()
    context.reset()

    let teachers = try context.fetch(NSFetchRequest<Teacher>(entityName: "Teacher"))
    for teacher in teachers {
        let titles = (teacher.courses?.array as? [Course] ?? []).compactMap(\.title)
        print("\(teacher.name ?? "?") teaches \(titles.joined(separator: ", "))")
    }
    let request = NSFetchRequest<Course>(entityName: "Course")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    for course in try context.fetch(request) {
        let names = (course.students ?? []).compactMap(\.name).sorted()
        print("\(course.title ?? "?"): \(names.isEmpty ? "nobody" : names.joined(separator: ", "))")
    }
    let busy = NSFetchRequest<Student>(entityName: "Student")
    busy.predicate = NSPredicate(format: "courses.@count > 1 AND ANY courses.title == %@", "Music")
    busy.sortDescriptors = [NSSortDescriptor(keyPath: \Student.name, ascending: true)]
    print("busy musicians: \(try context.fetch(busy).compactMap(\.name))")
    teachers.forEach(context.delete)
    try context.save()
    print("courses without a teacher: \(try context.count(for: NSFetchRequest<Course>(entityName: "Course")))")
}
