import { check } from './requirements.ts'

check(
  'EVENT-CLAIM-CHANGE',
  'claims is an object and changedClaims an array of names, whichever there is',
  async ({ events, needs, basis, note }) => {
    const changes = (await events.someEvents()).filter(({ members: { type, payload } }) => {
      return type === 'ClaimValuesChanged' && payload !== null && typeof payload === 'object'
    })
    needs(changes.length, 1, 'ClaimValuesChanged event')
    basis({ events: changes.length })
    events.wellFormed('payload/claims', changes, 'an object')
    events.wellFormed('payload/changedClaims', changes, 'an array of names')
    const bare = changes.filter(({ members }) => {
      const names = Object.keys(Object(members.payload))
      return !names.includes('claims') && !names.includes('changedClaims')
    })
    if (bare.length > 0) note(`${bare.length} events have neither claims nor changedClaims`)
  },
)
