import { startProvider } from '../provider/index.ts'

// A provider with a day of so many events, in a process of its own; tells its variables and runs until it is ended.
//   node bench/day-hub.ts EVENTS NOW

const [count, now] = process.argv.slice(2).map(Number) as [number, number]
const provider = await startProvider({ events: { count, hours: 24 }, now: () => now })
process.send?.(provider.variables)
process.once('disconnect', () => process.exit())
