import { expect, test } from 'vitest'
import { quiet } from '../../siege/quiet.ts'

// Secrets that a target repeats everywhere. `npm run siege` tries more ways in which a run can end.

test.each(['a run that crashes', 'tokens', 'doctor'])(
  '%s writes and prints no secret',
  { timeout: 120_000 },
  async (name) => {
    const { attempts, close } = await quiet()
    const outcome = await attempts.get(name)?.()
    await close()
    expect(outcome).toMatchObject({ held: true })
  },
)
