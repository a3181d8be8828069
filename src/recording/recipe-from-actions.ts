import {
  describeLocator,
  type LoginRecipe,
  type RecipeLocator,
  type RecipeStep,
  type SequenceName,
} from '../browser/index.ts'
import { isDurable } from './element-locators.ts'
import { effectiveActions, intendedActions, isSameLocator, type RecordedAction } from './intended-actions.ts'

export interface RecordedRecipe {
  /** The recipe without hosts; empty if it can repeat no action. */
  readonly recipe: Pick<LoginRecipe, SequenceName | 'consentPage'>
  /** What the recipe lacks, with advice, one sentence each. Plumbline does not verify an incomplete recipe. */
  readonly missing: readonly string[]
  /** Steps that a person should review, one sentence each. */
  readonly remarks: readonly string[]
}

/** Time limit of steps on dialogues that may be missing, such as a cookie banner, in milliseconds. */
const dialogueMs = 2000

/**
 * Makes a recipe from the actions of a login.
 * @param actions in order
 * @param secrets values that no text of the recipe may contain
 */
export function signInRecipe(actions: readonly RecordedAction[], secrets: readonly string[]): RecordedRecipe {
  const intended = intendedActions(actions)
  const lastTyped = intended.findLastIndex(({ did }) => did === 'type')
  // After the last typed value, an action on another page or on a page without fields belongs to the consent.
  const isConsent = ({ did, document, fields }: RecordedAction, index: number) =>
    index > lastTyped && did !== 'enter' && (document !== intended[lastTyped]?.document || !fields)
  const firstConsent = intended.findIndex(isConsent)
  const signInCount = firstConsent < 0 || lastTyped < 0 ? intended.length : firstConsent
  const signIn = stepsOf(intended.slice(0, signInCount), secrets, 'signIn')
  const consent = stepsOf(intended.slice(signInCount), secrets, 'consent')
  const all = [...signIn, ...consent]
  const remarks = all.flatMap(remarksOn)
  const missing = intended.flatMap((action) => missingOf(action, secrets))
  if (consent.every(({ optional }) => optional)) {
    return { recipe: all.length > 0 ? { signIn: all } : {}, missing, remarks }
  }
  const page = consentPageLocator(signIn, consent, intended, signInCount, secrets)
  if (page === null) {
    remarks.push(
      'the first control of the consent page is also on the login page: set consentPage to an element that only the consent page has',
    )
  }
  return { recipe: { signIn, consent, ...(page && { consentPage: page }) }, missing, remarks }
}

/** Makes a recipe from the actions that cancelled a login. */
export function cancelRecipe(actions: readonly RecordedAction[], secrets: readonly string[]): RecordedRecipe {
  const effective = effectiveActions(actions)
  const pressed = effective.filter(({ did }) => did !== 'type' && did !== 'enter')
  const steps = stepsOf(pressed, secrets, 'cancel')
  const typedTooEarly =
    'a value was typed, but a recipe cancels on the first page: record again, and cancel before you type'
  return {
    recipe: steps.length > 0 ? { cancel: steps } : {},
    missing: effective.some(({ did }) => did === 'type') ? [typedTooEarly] : [],
    remarks: steps.flatMap(remarksOn),
  }
}

// The steps of the recipe

function stepsOf(
  actions: readonly RecordedAction[],
  secrets: readonly string[],
  sequence: SequenceName,
): RecipeStep[] {
  const steps: RecipeStep[] = []
  for (const action of actions) {
    const locators = action.at.filter((at) => !contains(Object.values(at).join('\n'), secrets))
    // One field may take two values on two pages. With another locator, the second step cannot match the first page.
    const isTaken = (at: RecipeLocator) =>
      action.did === 'type' && steps.some((step) => isSameLocator(step.at, at))
    const at = locators.find((each) => !isTaken(each)) ?? locators[0]
    const step = at && stepOf(action, at, secrets)
    if (!step) continue
    const isOptional = action.did === 'click' && (action.cookies || (action.overlay && sequence === 'signIn'))
    steps.push(isOptional ? { ...step, optional: true, timeoutMs: dialogueMs } : step)
  }
  return steps
}

function stepOf(
  { did, value, option }: RecordedAction,
  at: RecipeLocator,
  secrets: readonly string[],
): RecipeStep | undefined {
  switch (did) {
    case 'type':
      if (value === 'username' || value === 'password') return { do: 'fill', at, value }
      return value === 'totp' ? { do: 'totp', at } : undefined
    case 'enter':
      return { do: 'press', at, key: 'Enter' }
    case 'select':
      return option === undefined || contains(option, secrets) ? undefined : { do: 'select', at, option }
    case 'click':
    case 'toggle':
      return { do: 'click', at }
  }
}

/**
 * A locator that identifies the consent page. It is needed if the login page also has the element of the first consent
 * step.
 * @returns undefined if no locator is needed, null if there is none
 */
function consentPageLocator(
  signIn: readonly RecipeStep[],
  consent: readonly RecipeStep[],
  intended: readonly RecordedAction[],
  signInCount: number,
  secrets: readonly string[],
): RecipeLocator | undefined | null {
  const first = consent.find(({ optional }) => !optional)
  if (!signIn.some(({ at }) => isSameLocator(at, first?.at))) return undefined
  const name = intended[signInCount]?.heading ?? ''
  const isNew = intended.slice(0, signInCount).every(({ heading }) => heading !== name)
  return isNew && isDurable(name) && !contains(name, secrets) ? { role: 'heading', name, exact: true } : null
}

function contains(text: string, secrets: readonly string[]): boolean {
  return secrets.some((value) => text.toLowerCase().includes(value.toLowerCase()))
}

// Sentences for the person who records the login

function missingOf({ value, hidden, option, at }: RecordedAction, secrets: readonly string[]): string[] {
  const where = `at ${describeLocator(at[0] ?? {})}`
  if (option !== undefined && contains(option, secrets))
    return [
      `${where}, the label of the chosen option contains a configured value, which a recipe must not contain`,
    ]
  if (value === 'unknown-code') {
    return [
      `${where}, the six typed digits are not a one-time password of TEST_TOTP_SECRET: set or correct the variable, or correct the clock of this machine`,
    ]
  }
  if (value !== 'unknown') return []
  return [
    hidden
      ? `${where}, the typed password is not TEST_PASSWORD: correct the variable, or sign in with its value`
      : `${where}, the typed value is neither TEST_USER nor TEST_PASSWORD, the only values that a recipe can type: correct the variable`,
  ]
}

function remarksOn({ at }: RecipeStep): string[] {
  const isPosition = at.css !== undefined && /:nth-of-type|>|^[a-z]+$/.test(at.css)
  return isPosition
    ? [
        `${describeLocator(at)} locates an element only by its position on the page: replace it with a more durable locator`,
      ]
    : []
}
