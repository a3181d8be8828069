import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { processTree } from '../src/browser/memory-guard.ts'

/** Loopback addresses as /proc/net writes them, in hexadecimal: IPv4, IPv6, and IPv4 in IPv6. */
const loopback = /^(?:[0-9A-F]{6}7F|0{24}01000000|0{16}FFFF0000[0-9A-F]{6}7F):/

/** The addresses other than loopback on which a process tree accepts TCP connections, as /proc/net writes them. */
export function listensBeyondLoopback(root: number): readonly string[] {
  const sockets = new Set(processTree(root).flatMap(socketsOf))
  return ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/net/${kind}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, address = '', , state, , , , , , inode = '']) =>
        state === '0A' && sockets.has(inode) ? !loopback.test(address) : false,
      )
      .map(([, address = '']) => address),
  )
}

function socketsOf(id: number): string[] {
  try {
    return readdirSync(`/proc/${id}/fd`).flatMap((fd) => {
      const target = linkOf(`/proc/${id}/fd/${fd}`)
      return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []
    })
  } catch {
    return []
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
