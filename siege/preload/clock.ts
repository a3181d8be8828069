// Preloaded into Plumbline: its clock differs from that of the target by SIEGE_CLOCK_MS.
const offsetMs = Number(process.env.SIEGE_CLOCK_MS)
const RealDate = Date
const now = () => RealDate.now() + offsetMs

globalThis.Date = new Proxy(RealDate, {
  construct: (_, values: readonly number[]) =>
    values.length === 0 ? new RealDate(now()) : Reflect.construct(RealDate, values),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
