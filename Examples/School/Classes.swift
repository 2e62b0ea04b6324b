import CoreData
import Foundation

public class Student: NSManagedObject {
    @NSManaged public var name: String?
    @NSManaged public var grade: Int16
    @NSManaged public var courses: NSSet?
}

public class Teacher: NSManagedObject {
    @NSManaged public var name: String?
    @NSManaged public var courses: NSOrderedSet?
}

public class Course: NSManagedObject {
    @NSManaged public var title: String?
    @NSManaged public var students: Set<Student>?
    @NSManaged public var teacher: Teacher?
}

// Generated accessors for courses
extension Student {
    @NSManaged public func addToCourses(_ value: Course)
    @NSManaged public func removeFromCourses(_ value: Course)
    @NSManaged public func addToCourses(_ values: NSSet)
    @NSManaged public func removeFromCourses(_ values: NSSet)
}

// Generated accessors for courses
extension Teacher {
    @NSManaged public func insertIntoCourses(_ value: Course, at idx: Int)
    @NSManaged public func removeFromCourses(at idx: Int)
    @NSManaged public func insertIntoCourses(_ values: [Course], at indexes: NSIndexSet)
    @NSManaged public func removeFromCourses(at indexes: NSIndexSet)
    @NSManaged public func replaceCourses(at idx: Int, with value: Course)
    @NSManaged public func addToCourses(_ value: Course)
    @NSManaged public func removeFromCourses(_ value: Course)
    @NSManaged public func addToCourses(_ values: NSOrderedSet)
}

// Generated accessors for students
extension Course {
    @NSManaged public func addToStudents(_ value: Student)
    @NSManaged public func removeFromStudents(_ value: Student)
}
