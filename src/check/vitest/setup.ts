// Vitest evaluates a setup file again for every suite. The adapter is a separate module, so that it is evaluated once
// and all suites share one run.
import './adapter.ts'
