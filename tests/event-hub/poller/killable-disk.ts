import type { Disk } from '../../../src/event-hub/poller/disk.ts'

/** Replaces operations of a disk. */
export type DiskChange = (disk: Disk) => Partial<Disk>

/** Ends a simulated process at once, without any cleanup. */
export class Killed extends Error {}

/** A step of a process, at which it may be killed. */
type Step = () => void

/**
 * A disk with a step before and after each operation, and another step in the middle of each append.
 * @param share of the text that reaches the disk if the process is killed in the middle of an append
 */
export function killableDisk(whole: Disk, step: Step, share: () => number, change?: DiskChange): Disk {
  const torn = tornDisk(whole, step, share)
  const disk = { ...whole, ...change?.(torn) }
  const steps =
    (name: keyof Disk) =>
    async (...words: never[]) => {
      step()
      const result = await (disk[name] as (...words: never[]) => Promise<unknown>)(...words)
      step()
      return result
    }
  return {
    read: steps('read'),
    size: steps('size'),
    append: change?.(torn).append ?? torn.append,
    replace: steps('replace'),
    truncate: steps('truncate'),
    removeAll: steps('removeAll'),
  } as Disk
}

/** A disk that stores only a part of the text if the process is killed in the middle of an append. */
function tornDisk(whole: Disk, step: Step, share: () => number): Disk {
  return {
    ...whole,
    append: async (path, text) => {
      step()
      try {
        step()
      } catch (error) {
        const bytes = Buffer.from(text)
        const written = Math.floor(bytes.length * share())
        await whole.append(path, bytes.subarray(0, written).toString('latin1'))
        throw error
      }
      const size = await whole.append(path, text)
      step()
      return size
    },
  }
}
