// Vitest evaluates a setup file again for every suite. The adapter is a module of its own, so that it is
// evaluated once and the whole run has one world.
import './vitest-adapter.ts'
