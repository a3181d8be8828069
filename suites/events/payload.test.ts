import { afterAllChecks } from '../../src/check/options.ts'
import { check } from './requirements.ts'

check(
  'EVENT-CLAIM-CHANGE',
  '`claims`, if present, is an object, and `changedClaims` an array of names',
  afterAllChecks,
  async ({ readings, requireData, basis, note }) => {
    const changes = (await readings.someEvents()).filter(({ members: { type, payload } }) => {
      return type === 'ClaimValuesChanged' && payload !== null && typeof payload === 'object'
    })
    requireData(changes.length, 1, 'ClaimValuesChanged event', ['EVENT-PAYLOAD'])
    basis({ events: changes.length })
    readings.expectWellFormed('payload/claims', changes, 'an object')
    readings.expectWellFormed('payload/changedClaims', changes, 'an array of names')
    const bare = changes.filter(({ members }) => {
      const names = Object.keys(Object(members.payload))
      return !names.includes('claims') && !names.includes('changedClaims')
    })
    if (bare.length > 0) note(`${bare.length} events have neither claims nor changedClaims`)
  },
)
