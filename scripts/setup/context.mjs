/** @import { SetupLock } from './lock.mjs' */

/**
 * @typedef {{
 *   root: string,
 *   env: NodeJS.ProcessEnv,
 *   logs: string,
 *   verbose: boolean,
 *   say: (line: string) => void,
 *   lock: SetupLock,
 * }} SetupContext `root`: the checkout; `logs`: folder for the output of the commands that set-up runs
 */

export {}
