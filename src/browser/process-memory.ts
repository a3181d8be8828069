import { readdirSync, readFileSync } from 'node:fs'

/** The ids of a process and its descendants, which only Linux reports. */
export function processTree(root: number): number[] {
  const tree: number[] = []
  for (const waiting = [root]; waiting.length > 0; ) {
    const id = waiting.pop() as number
    tree.push(id)
    waiting.push(...childrenOf(id))
  }
  return tree
}

function childrenOf(id: number): number[] {
  const threads = `/proc/${id}/task`
  try {
    const lists = readdirSync(threads).map((thread) => readFileSync(`${threads}/${thread}/children`, 'utf8'))
    return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
  } catch {
    return []
  }
}

/** Memory of a process without mapped files, in MiB; 0 if the system does not report it. */
export function memoryMiB(id: number): number {
  try {
    const status = readFileSync(`/proc/${id}/status`, 'utf8')
    const sizes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)].map(([, size]) => Number(size))
    return sizes.reduce((sum, size) => sum + size, 0) / 1024
  } catch {
    return 0
  }
}

/** Whether a process of Chromium shows pages. */
export function isRenderer(id: number): boolean {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('--type=renderer')
  } catch {
    return false
  }
}
