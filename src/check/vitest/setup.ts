// Vitest evaluates a setup file again for every suite. The adapter is a module of its own, so that it is evaluated
// once and all suites share one run.
import './adapter.ts'
