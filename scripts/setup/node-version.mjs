/** The versions of Node that the packages need (undici 8, vitest 5), as text and as a function. */
export const requiredNode = '22.19 (or a later 22), or 24 or newer'

/** @param {string} version as in `process.versions.node` @returns {boolean} */
export function runsPlumbline(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major >= 24 || (major === 22 && minor >= 19)
}
