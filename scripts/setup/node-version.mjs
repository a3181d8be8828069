/** What the packages that need the newest Node ask for (undici 8, vitest 5), in words and as a test. */
export const NODE_NEEDED = '22.19 (or a later 22), or 24 or newer'

/** @param {string} version as in `process.versions.node` @returns {boolean} */
export function runsPlumbline(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major >= 24 || (major === 22 && minor >= 19)
}
