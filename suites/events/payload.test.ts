import { afterAllChecks } from '../../src/check/check-options.ts'
import { requireData } from '../../src/check/verdict.ts'
import { counted } from '../../src/text/format.ts'
import { check } from './requirements.ts'

check(
  'EVENT-CLAIM-CHANGE',
  '`claims`, if present, is an object, and `changedClaims` an array of names',
  afterAllChecks,
  async ({ readings, basis, note }) => {
    const changes = (await readings.someEvents()).filter(({ members: { type, payload } }) => {
      return type === 'ClaimValuesChanged' && payload !== null && typeof payload === 'object'
    })
    requireData(changes.length, 1, 'ClaimValuesChanged event', ['EVENT-PAYLOAD'])
    basis({ events: changes.length })
    readings.expectWellFormed('payload/claims', changes, 'an object')
    readings.expectWellFormed('payload/changedClaims', changes, 'an array of names')
    const shapes = changes.map(({ members }) => {
      const { claims, changedClaims } = Object(members.payload)
      return [claims, changedClaims]
    })
    const bare = shapes.filter((values) => values.every((value) => (value ?? null) === null))
    if (bare.length > 0) note(`neither claims nor changedClaims in ${counted(bare.length, 'event')}`)
    const empty = shapes.filter((values) => values.includes(null))
    if (empty.length > 0) note(`null as claims or changedClaims in ${counted(empty.length, 'event')}`)
  },
)
