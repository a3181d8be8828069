import fc from 'fast-check'
import { SetupError } from '../../../src/target/problem.ts'

/** The number of values with which a property is tested: `numRuns`, multiplied by FUZZ_FACTOR if it is set. */
export function tries(numRuns: number): { readonly numRuns: number } {
  return { numRuns: numRuns * Number(process.env.FUZZ_FACTOR ?? 1) }
}

/** JSON that resembles a valid value: parts of it are replaced, removed or repeated. */
export function spoilt(valid: unknown): fc.Arbitrary<unknown> {
  if (valid === null || typeof valid !== 'object') return mostly(valid)
  const parts: fc.Arbitrary<unknown> = Array.isArray(valid)
    ? fc.tuple(...valid.map(spoilt)).chain((items) => fc.shuffledSubarray(items))
    : fc.record(Object.fromEntries(Object.entries(valid).map(([name, value]) => [name, spoilt(value)])), {
        requiredKeys: [],
      })
  return fc.oneof({ weight: 12, arbitrary: parts }, { weight: 1, arbitrary: fc.jsonValue() })
}

function mostly(valid: unknown): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(valid) }, { weight: 1, arbitrary: fc.jsonValue() })
}

/** Bytes of a file that resembles a valid one. */
export function spoiltFile(valid: unknown): fc.Arbitrary<Buffer> {
  const json = spoilt(valid).map((value) => Buffer.from(JSON.stringify(value) ?? ''))
  const cut = fc.tuple(json, fc.nat()).map(([bytes, at]) => bytes.subarray(0, at % (bytes.length + 1)))
  const random = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
  return fc.oneof(
    { weight: 6, arbitrary: json },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: random },
  )
}

/** The error that `work` throws; undefined for a SetupError with a message, which Plumbline reports to the user. */
export function unhandled(work: () => unknown): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof SetupError && error.message !== '' ? undefined : error
  }
}
