// Vitest evaluates a setup file again for every suite. The tests are defined by a separate module, so that it is evaluated
// once and all suites share one run.
import './tests.ts'
