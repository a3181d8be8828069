/** Set-up cannot go on. The message is one sentence that says what to do; it is printed alone, with exit 3. */
export class SetupFailure extends Error {
  /** @override */
  name = 'SetupFailure'
}

/** @param {unknown} error @returns {string | undefined} the system's name of what went wrong, such as ENOSPC */
export function systemCode(error) {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/**
 * The sentence for a disk that does not take what set-up writes.
 *
 * @param {string | undefined} code the system's or npm's error code
 * @param {string} folder what was being written to
 * @returns {string | undefined} undefined when the code means something else
 */
export function diskSentence(code, folder) {
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return `The disk that holds ${folder} is full: free about 1 GB and run the same command again.`
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return `No permission to write in ${folder} (${code}): make it and npm's cache writable for this user, or clone into a folder of your own.`
  }
  return undefined
}
