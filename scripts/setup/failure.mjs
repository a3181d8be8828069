/** Set-up cannot continue. The message is one sentence with advice; set-up prints only this message and exits with 3. */
export class SetupFailure extends Error {
  /** @override */
  name = 'SetupFailure'
}

/** @param {unknown} error @returns {string | undefined} the error code of the system, such as ENOSPC */
export function systemCode(error) {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/**
 * The message if set-up cannot write to the disk.
 *
 * @param {string | undefined} code the system's or npm's error code
 * @param {string} folder the destination of the write
 * @returns {string | undefined} undefined for other codes
 */
export function diskSentence(code, folder) {
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return `The disk that holds ${folder} is full: free about 1 GB and run the same command again.`
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return `No permission to write in ${folder} (${code}): make it and the npm cache writable for this user, or clone into your own folder.`
  }
  return undefined
}
