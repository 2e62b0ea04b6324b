// Nothing to call: linking this target sets the environment of the tests.
#pragma once
