import { startProvider } from '../provider/index.ts'

// A provider with a day of events, in a separate process. It reports its variables and runs until its parent disconnects.
//   node bench/day-hub.ts EVENTS NOW

const [count, now] = process.argv.slice(2).map(Number) as [number, number]
const provider = await startProvider({ events: { count, hours: 24 }, now: () => now })
process.send?.(provider.variables)
process.once('disconnect', () => process.exit())
