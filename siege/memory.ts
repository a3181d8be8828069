import { launchSiegeBrowser, visit } from './hostile-browsing.ts'
import { answerMemoryStorm, memoryStorms } from './memory-storms.ts'
import { peakMemoryMiB } from './process-tree.ts'
import type { Attempt, Subject } from './subject.ts'

/** Maximum memory of a run with all its processes, in MiB. */
export const maxTreeMiB = 1500
const maxSeconds = 60

/** Pages that use as much memory as they can. */
export async function memory(): Promise<Subject> {
  const attempt = async (storm: string): Promise<Attempt> => {
    // A new browser for each attempt, without the memory of the previous one.
    const browser = await launchSiegeBrowser()
    try {
      const { result, mib } = await peakMemoryMiB(() =>
        visit(browser, answerMemoryStorm(storm), { requestBudget: 100, timeoutMs: 10_000 }),
      )
      const held = mib < maxTreeMiB && result.seconds < maxSeconds
      return { held, measured: `${mib} MiB, ${result.seconds.toFixed(0)} s, ${result.landing.kind}` }
    } finally {
      await browser.close()
    }
  }
  return {
    name: 'memory',
    promise: `With any page, a login uses at most ${maxTreeMiB} MiB and ends within ${maxSeconds} s.`,
    method: 'The memory of all processes is measured 20 times a second while a page fills it.',
    attempts: new Map(Object.entries(memoryStorms).map(([name, storm]) => [name, () => attempt(storm)])),
    close: async () => {},
  }
}
