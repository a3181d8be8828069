import { isChangeOf } from '../../src/check/claim-steps.ts'
import { check } from './requirements.ts'

check(
  'EVENT-SUBSCRIBER',
  'the event of a changed claim names the user as the tokens do',
  { effects: ['login', 'claim-change'], needs: ['user', 'claimRecipe'] },
  async ({ claims, expect }) => {
    const change = await claims.change()
    const { changed, subjects, value } = change
    expect.that(
      changed.events.some((event) => isChangeOf(event, subjects, value)),
      'an event of the user',
      'there was none',
    )
    claims.restored(change)
  },
)
