import type { LoginRecipe, RecipeLocator, RecipeStep, SequenceName } from '../recipe.ts'
import { describeLocator } from '../recipe-steps.ts'
import type { Deed } from './report.ts'
import type { TypedValue } from './typed-values.ts'

/** A deed, with its document and with what was typed as far as it may be known. */
export interface Act extends Omit<Deed, 'typing'> {
  readonly document: string
  /** Of what was typed; absent where the field is empty again. */
  readonly value?: TypedValue
}

/** What a recording came to. */
export interface Recorded {
  /** Without hosts; empty where nothing was done that a recipe can hold. */
  readonly recipe: Pick<LoginRecipe, SequenceName | 'consentPage'>
  /** What the recipe lacks, so that it must not be tried: sentences that say what to do. */
  readonly missing: readonly string[]
  /** What may have to be corrected by hand. */
  readonly remarks: readonly string[]
}

/** How long a dialogue that need not come is waited for, in milliseconds. */
const dialogueMs = 2000

/**
 * The recipe of a login that was done by hand.
 *
 * @param acts in order
 * @param told values that must not be in it: no text that holds one of them points to anything
 */
export function signInFrom(acts: readonly Act[], told: readonly string[]): Recorded {
  const done = withoutRetries(withoutRepeats(acts))
  const lastTyped = done.findLastIndex(({ did }) => did === 'type')
  // What is pressed after the last typing on a page that has no fields is no longer part of signing in.
  const isLater = ({ did, document, fields }: Act, index: number) =>
    index > lastTyped && did !== 'enter' && (document !== done[lastTyped]?.document || !fields)
  const found = done.findIndex(isLater)
  const end = found < 0 || lastTyped < 0 ? done.length : found
  const signIn = stepsOf(done.slice(0, end), told, 'signIn')
  const consent = stepsOf(done.slice(end), told, 'consent')
  const remarks = [...signIn, ...consent].flatMap(remarkOn)
  const missing = done.flatMap((act) => missingOf(act, told))
  if (consent.every(({ optional }) => optional)) {
    const all = [...signIn, ...consent]
    return { recipe: all.length > 0 ? { signIn: all } : {}, missing, remarks }
  }
  const page = consentPage(signIn, consent, done, end, told)
  if (page === null) remarks.push(sameStart)
  return {
    recipe: { signIn, consent, ...(page && { consentPage: page }) },
    missing,
    remarks,
  }
}

/** The recipe of a login that was given up by hand. */
export function cancelFrom(acts: readonly Act[], told: readonly string[]): Recorded {
  const done = withoutRepeats(acts)
  const steps = stepsOf(
    done.filter(({ did }) => did !== 'type' && did !== 'enter'),
    told,
    'cancel',
  )
  return {
    recipe: steps.length > 0 ? { cancel: steps } : {},
    missing: done.some(({ did }) => did === 'type')
      ? [
          'something was typed, but to cancel is done on the first page that asks, with nothing typed: cancel there',
        ]
      : [],
    remarks: steps.flatMap(remarkOn),
  }
}

// What was meant

/** Each typing, choice and click once, as it was in the end before something else was pressed. */
function withoutRepeats(acts: readonly Act[]): Act[] {
  const kept: Act[] = []
  for (const act of acts) {
    const isAgain = (other: Act, index: number) =>
      index > kept.findLastIndex(isPress) && other.did === act.did && isSameElement(other, act)
    const earlier = kept.findIndex(isAgain)
    const previous = kept.at(-1)
    if (act.did === 'click' && previous?.did === 'click' && isSameElement(previous, act)) continue
    if (earlier < 0) kept.push(act)
    // A box that was ticked and ticked again is as it was.
    else if (act.did === 'toggle') kept.splice(earlier, 1)
    else kept[earlier] = act
  }
  return kept.filter(({ did, value }) => did !== 'type' || value !== undefined)
}

/** Without what was done before a page came again: the same field filled in once more, or the same list. */
function withoutRetries(acts: readonly Act[]): Act[] {
  const kept: Act[] = []
  for (const act of acts) {
    const again = kept.findIndex(
      (other) =>
        (act.did === 'type' || act.did === 'select') &&
        other.did === act.did &&
        sameLocator(other.at[0], act.at[0]) &&
        (other.value === act.value || isUnknown(other.value) || isUnknown(act.value)),
    )
    if (again >= 0) kept.splice(again)
    kept.push(act)
  }
  return kept
}

function isPress({ did }: Act): boolean {
  return did === 'click' || did === 'enter'
}

function isSameElement(one: Act, other: Act): boolean {
  return one.document === other.document && one.element === other.element
}

function isUnknown(value: TypedValue | undefined): boolean {
  return value === 'unknown' || value === 'unknown-code'
}

function sameLocator(one: RecipeLocator | undefined, other: RecipeLocator | undefined): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other)
}

// What a recipe says

function stepsOf(acts: readonly Act[], told: readonly string[], sequence: SequenceName): RecipeStep[] {
  const steps: RecipeStep[] = []
  for (const act of acts) {
    const ways = act.at.filter((at) => !holds(Object.values(at).join('\n'), told))
    // The same field may ask for one thing after the other: the second must not be typed while the first is asked for.
    const isTaken = (at: RecipeLocator) =>
      act.did === 'type' && steps.some((step) => sameLocator(step.at, at))
    const at = ways.find((way) => !isTaken(way)) ?? ways[0]
    const step = at && stepOf(act, at, told)
    if (!step) continue
    const mayBeMissing = act.did === 'click' && (act.cookies || (act.overlay && sequence === 'signIn'))
    steps.push(mayBeMissing ? { ...step, optional: true, timeoutMs: dialogueMs } : step)
  }
  return steps
}

function stepOf(
  { did, value, option }: Act,
  at: RecipeLocator,
  told: readonly string[],
): RecipeStep | undefined {
  switch (did) {
    case 'type':
      if (value === 'username' || value === 'password') return { do: 'fill', at, value }
      return value === 'totp' ? { do: 'totp', at } : undefined
    case 'enter':
      return { do: 'press', at, key: 'Enter' }
    case 'select':
      return option === undefined || holds(option, told) ? undefined : { do: 'select', at, option }
    case 'click':
    case 'toggle':
      return { do: 'click', at }
  }
}

/**
 * What tells the consent page where its first step does not, because the login page has such an element too.
 * @returns undefined where nothing is needed, null where nothing is known
 */
function consentPage(
  signIn: readonly RecipeStep[],
  consent: readonly RecipeStep[],
  done: readonly Act[],
  end: number,
  told: readonly string[],
): RecipeLocator | undefined | null {
  const first = consent.find(({ optional }) => !optional)
  if (!signIn.some(({ at }) => sameLocator(at, first?.at))) return undefined
  const name = done[end]?.heading ?? ''
  const isNew = done.slice(0, end).every(({ heading }) => heading !== name)
  const isGood = name !== '' && name.length <= 60 && isNew && !holds(name, told) && !/\d{4}|@/.test(name)
  return isGood ? { role: 'heading', name, exact: true } : null
}

function holds(text: string, told: readonly string[]): boolean {
  return told.some((value) => text.toLowerCase().includes(value.toLowerCase()))
}

// What to say about it

const sameStart =
  'the consent page begins with a control that the login page has too: in consentPage, name something that only the consent page shows'

function missingOf({ value, hidden, option, at }: Act, told: readonly string[]): string[] {
  const where = describeLocator(at[0] ?? {})
  if (option !== undefined && holds(option, told))
    return [`at ${where}, an option was chosen whose label holds a configured value, which no recipe may`]
  if (!isUnknown(value)) return []
  if (value === 'unknown-code') {
    return [
      `at ${where}, six digits were typed that are no one-time password of TEST_TOTP_SECRET: set it, or correct it and the clock of this machine`,
    ]
  }
  return [
    hidden
      ? `at ${where}, a password was typed that is not TEST_PASSWORD: correct the variable, or sign in with it`
      : `at ${where}, a value was typed that is neither TEST_USER nor TEST_PASSWORD, and a recipe can hold no other: correct the variable if it is one of them`,
  ]
}

function remarkOn({ at }: RecipeStep): string[] {
  const isPlace = at.css !== undefined && /:nth-of-type|>|^[a-z]+$/.test(at.css)
  return isPlace
    ? [`${describeLocator(at)} is known by its place on the page only: point to it in a way that lasts`]
    : []
}
