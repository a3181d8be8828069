import { platform } from 'node:os'

/** Whether a window can be opened on this machine. */
export function hasScreen(): boolean {
  return platform() !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
}
