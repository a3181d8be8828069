import {
  describeLocator,
  type LoginRecipe,
  type RecipeLocator,
  type RecipeStep,
  type SequenceName,
} from '../browser/index.ts'
import type { PageAction } from './page-listener.ts'
import type { TypedValue } from './typed-values.ts'

/** An action of a person, in its document, with which configured value was typed. */
export interface RecordedAction extends Omit<PageAction, 'typing'> {
  readonly document: string
  /** Absent where nothing was typed, or the field is empty again. */
  readonly value?: TypedValue
}

/** The recipe of a recording. */
export interface RecordedRecipe {
  /** Without hosts; empty where nothing was done that a recipe can hold. */
  readonly recipe: Pick<LoginRecipe, SequenceName | 'consentPage'>
  /** What the recipe lacks, so that it must not be tried: sentences that say what to do. */
  readonly missing: readonly string[]
  /** What may have to be corrected by hand. */
  readonly remarks: readonly string[]
}

/** How long an optional dialogue is waited for, in milliseconds. */
const dialogueMs = 2000

/**
 * The recipe of a login by hand.
 * @param actions in order
 * @param secrets values that must not be in it: no text that contains one of them is used
 */
export function signInRecipe(actions: readonly RecordedAction[], secrets: readonly string[]): RecordedRecipe {
  const done = withoutRetries(withoutRepeats(actions))
  const lastTyped = done.findLastIndex(({ did }) => did === 'type')
  // What is pressed after the last typing on a page without fields is no longer part of signing in.
  const isLater = ({ did, document, fields }: RecordedAction, index: number) =>
    index > lastTyped && did !== 'enter' && (document !== done[lastTyped]?.document || !fields)
  const found = done.findIndex(isLater)
  const end = found < 0 || lastTyped < 0 ? done.length : found
  const signIn = stepsOf(done.slice(0, end), secrets, 'signIn')
  const consent = stepsOf(done.slice(end), secrets, 'consent')
  const all = [...signIn, ...consent]
  const remarks = all.flatMap(remarksOn)
  const missing = done.flatMap((action) => missingOf(action, secrets))
  if (consent.every(({ optional }) => optional)) {
    return { recipe: all.length > 0 ? { signIn: all } : {}, missing, remarks }
  }
  const page = consentPage(signIn, consent, done, end, secrets)
  if (page === null) {
    remarks.push(
      'the consent page begins with a control that the login page has too: in consentPage, name something that only the consent page shows',
    )
  }
  return { recipe: { signIn, consent, ...(page && { consentPage: page }) }, missing, remarks }
}

/** The recipe of a login that was cancelled by hand. */
export function cancelRecipe(actions: readonly RecordedAction[], secrets: readonly string[]): RecordedRecipe {
  const done = withoutRepeats(actions)
  const pressed = done.filter(({ did }) => did !== 'type' && did !== 'enter')
  const steps = stepsOf(pressed, secrets, 'cancel')
  const typed =
    'something was typed, but to cancel is done on the first page that asks, with nothing typed: cancel there'
  return {
    recipe: steps.length > 0 ? { cancel: steps } : {},
    missing: done.some(({ did }) => did === 'type') ? [typed] : [],
    remarks: steps.flatMap(remarksOn),
  }
}

// What was meant

/** Each typing, choice and click once, as it was in the end before something else was pressed. */
function withoutRepeats(actions: readonly RecordedAction[]): RecordedAction[] {
  const kept: RecordedAction[] = []
  for (const action of actions) {
    const isAgain = (other: RecordedAction, index: number) =>
      index > kept.findLastIndex(isPress) && other.did === action.did && isSameElement(other, action)
    const earlier = kept.findIndex(isAgain)
    const previous = kept.at(-1)
    if (action.did === 'click' && previous?.did === 'click' && isSameElement(previous, action)) continue
    if (earlier < 0) kept.push(action)
    // A box that was ticked and ticked again is as it was.
    else if (action.did === 'toggle') kept.splice(earlier, 1)
    else kept[earlier] = action
  }
  return kept.filter(({ did, value }) => did !== 'type' || value !== undefined)
}

/** Without what was done before a page came again: the same field filled in once more, or the same list. */
function withoutRetries(actions: readonly RecordedAction[]): RecordedAction[] {
  const kept: RecordedAction[] = []
  for (const action of actions) {
    const again = kept.findIndex(
      (other) =>
        (action.did === 'type' || action.did === 'select') &&
        other.did === action.did &&
        isSameLocator(other.at[0], action.at[0]) &&
        (other.value === action.value || isUnknown(other.value) || isUnknown(action.value)),
    )
    if (again >= 0) kept.splice(again)
    kept.push(action)
  }
  return kept
}

function isPress({ did }: RecordedAction): boolean {
  return did === 'click' || did === 'enter'
}

function isSameElement(one: RecordedAction, other: RecordedAction): boolean {
  return one.document === other.document && one.element === other.element
}

function isUnknown(value: TypedValue | undefined): boolean {
  return value === 'unknown' || value === 'unknown-code'
}

function isSameLocator(one: RecipeLocator | undefined, other: RecipeLocator | undefined): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other)
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
    // The same field may ask for one thing after the other: the second must not be typed while the first is asked for.
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
 * What distinguishes the consent page where its first step does not, because the login page has such an element too.
 * @returns undefined where nothing is needed, null where nothing is known
 */
function consentPage(
  signIn: readonly RecipeStep[],
  consent: readonly RecipeStep[],
  done: readonly RecordedAction[],
  end: number,
  secrets: readonly string[],
): RecipeLocator | undefined | null {
  const first = consent.find(({ optional }) => !optional)
  if (!signIn.some(({ at }) => isSameLocator(at, first?.at))) return undefined
  const name = done[end]?.heading ?? ''
  const isNew = done.slice(0, end).every(({ heading }) => heading !== name)
  const isDurable = name !== '' && name.length <= 60 && !contains(name, secrets) && !/\d{4}|@/.test(name)
  return isNew && isDurable ? { role: 'heading', name, exact: true } : null
}

function contains(text: string, secrets: readonly string[]): boolean {
  return secrets.some((value) => text.toLowerCase().includes(value.toLowerCase()))
}

// What to say about it

function missingOf({ value, hidden, option, at }: RecordedAction, secrets: readonly string[]): string[] {
  const where = `at ${describeLocator(at[0] ?? {})}`
  if (option !== undefined && contains(option, secrets))
    return [`${where}, an option was chosen whose label holds a configured value, which no recipe may`]
  if (value === 'unknown-code') {
    return [
      `${where}, six digits were typed that are no one-time password of TEST_TOTP_SECRET: set it, or correct it and the clock of this machine`,
    ]
  }
  if (value !== 'unknown') return []
  return [
    hidden
      ? `${where}, a password was typed that is not TEST_PASSWORD: correct the variable, or sign in with it`
      : `${where}, a value was typed that is neither TEST_USER nor TEST_PASSWORD, and a recipe can hold no other: correct the variable if it is one of them`,
  ]
}

function remarksOn({ at }: RecipeStep): string[] {
  const isPosition = at.css !== undefined && /:nth-of-type|>|^[a-z]+$/.test(at.css)
  return isPosition
    ? [`${describeLocator(at)} is known by its place on the page only: point to it in a way that isDurable`]
    : []
}
