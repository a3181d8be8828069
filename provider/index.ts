// The public entry: starting a provider, and the definitions of all faults and variants.
export type { Fault, Variant } from './alteration.ts'
export { faults } from './faults/index.ts'
export type { Limit, LimitKey } from './limiter.ts'
export type { RunningProvider } from './server.ts'
export { type ProviderOptions, startProvider } from './start.ts'
export { variants } from './variants/index.ts'
