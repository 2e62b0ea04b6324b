// Imported by what the plugin ManagedClasses writes for a module, so that the linker looks for the bodies of its
// @NSManaged members: they are in libFirnAccessors.a, which the plugin's tool keeps next to the programs that are built.
#pragma once
