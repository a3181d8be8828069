import { hasScreen } from '../recording/screen.ts'
import type { Diagnosis } from './diagnosis.ts'

/** A diagnosis with the command that records a login recipe, where a recipe would help. */
export function withRecording(diagnosis: Diagnosis, target: string): Diagnosis {
  const { variables, advice, severity } = diagnosis
  if (severity !== 'error' || !variables.includes('LOGIN_RECIPE')) return diagnosis
  const remote = hasScreen() ? '' : ' --remote'
  const command = `npx plumbline record-login --target ${target}${remote}`
  return { ...diagnosis, advice: `${advice === null ? '' : `${advice}; `}${command} records one` }
}
