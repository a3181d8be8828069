import { createHash, randomBytes } from 'node:crypto'
import { type RecipeLocator, wasOneTimePassword } from '../browser/index.ts'
import type { TestUser } from '../target/target.ts'
import type { PageAction, TypedDigests } from './page-listener.ts'

/** An action of a person, with its document and the kind of the typed value. */
export interface RecordedAction extends Omit<PageAction, 'typing' | 'visible'> {
  readonly document: string
  /** Number of requests, new addresses and changes of the page before the action. */
  readonly activity: number
  /** Absent if nothing was typed, or the field is empty again. */
  readonly value?: TypedValue
}

/** The actions that a recipe must repeat. Omits actions that changed nothing, and those that were corrected later. */
export function intendedActions(actions: readonly RecordedAction[]): RecordedAction[] {
  return withoutCorrections(effectiveActions(actions))
}

/** Omits presses that changed nothing, and repeated actions. Keeps the last value of each field between two presses. */
export function effectiveActions(actions: readonly RecordedAction[]): RecordedAction[] {
  return withoutRepeats(actions.filter((action, index) => !isIdle(action, actions[index + 1])))
}

/** Whether an action is a click on a control, or the return key. */
export function isPress({ did }: Pick<PageAction, 'did'>): boolean {
  return did === 'click' || did === 'enter'
}

/** Whether an action is a press that changed nothing, for example because the browser found an empty field. */
function isIdle(action: RecordedAction, next: RecordedAction | undefined): boolean {
  return isPress(action) && next?.document === action.document && next.activity === action.activity
}

/** Keeps the last value of each field between two presses, and one of several clicks in a row on the same element. */
function withoutRepeats(actions: readonly RecordedAction[]): RecordedAction[] {
  const kept: RecordedAction[] = []
  for (const action of actions) {
    const isRepeated = (other: RecordedAction, index: number) =>
      index > kept.findLastIndex(isPress) && other.did === action.did && isSameElement(other, action)
    const index = kept.findIndex(isRepeated)
    const earlier = kept[index]
    const previous = kept.at(-1)
    if (action.did === 'click' && previous?.did === 'click' && isSameElement(previous, action)) continue
    if (earlier === undefined) kept.push(action)
    // Ticking a box twice restores it.
    else if (action.did === 'toggle') kept.splice(index, 1)
    else if (isKnown(earlier.value) && earlier.value !== action.value) {
      kept.splice(index, 1)
      kept.push(action)
    } else kept[index] = action
  }
  return kept.filter(({ did, value }) => did !== 'type' || value !== undefined)
}

/** Omits values that were corrected later, and the presses that submitted the wrong values. */
function withoutCorrections(actions: readonly RecordedAction[]): RecordedAction[] {
  let kept: RecordedAction[] = []
  for (const action of actions) {
    const wrongIndex = kept.findIndex((other) => isCorrectedBy(other, action, actions))
    if (wrongIndex >= 0) kept = withoutAttempt(kept, wrongIndex, action)
    kept.push(action)
  }
  return kept
}

/** Omits a wrong value and the presses after it. Keeps the values of the other fields on the page. */
function withoutAttempt(
  kept: readonly RecordedAction[],
  wrongIndex: number,
  { document }: RecordedAction,
): RecordedAction[] {
  const isOfForm = (each: RecordedAction) => isPress(each) && !each.cookies && !each.overlay
  const firstPress = kept.findIndex((each, index) => index > wrongIndex && isOfForm(each))
  const lastPress = kept.findLastIndex(isOfForm)
  return kept.filter((each, index) => {
    if (index <= wrongIndex) return index < wrongIndex
    if (isPress(each) && !isOfForm(each)) return true
    if (firstPress >= 0 && index >= firstPress) return index > lastPress
    // When a page is shown again, its check boxes are in their initial state.
    return each.did !== 'toggle' || each.document === document
  })
}

/** Whether `action` corrects the value of `earlier`. A field may also take two values in turn, without a correction. */
function isCorrectedBy(
  earlier: RecordedAction,
  action: RecordedAction,
  all: readonly RecordedAction[],
): boolean {
  const { did, value } = action
  if ((did !== 'type' && did !== 'select') || earlier.did !== did || !isSameField(earlier, action))
    return false
  if (earlier.value === value || !isKnown(earlier.value) || !isKnown(value)) return true
  return isMisplaced(earlier, all)
}

/**
 * Whether a value was typed into the wrong field: a user name into a password field, or a value that was also typed
 * into another field. A field that takes several values in turn is not a wrong field.
 */
function isMisplaced(action: RecordedAction, all: readonly RecordedAction[]): boolean {
  const isElsewhere = (other: RecordedAction) =>
    other.did === 'type' && other.value === action.value && !isSameField(other, action)
  return (action.value === 'username' && action.hidden === true) || all.some(isElsewhere)
}

function isSameElement(one: RecordedAction, other: RecordedAction): boolean {
  return one.document === other.document && one.element === other.element
}

function isSameField(one: RecordedAction, other: RecordedAction): boolean {
  const isAlike = isSameLocator(one.at[0], other.at[0]) && one.hidden === other.hidden
  return isAlike || isSameElement(one, other)
}

function isKnown(value: TypedValue | undefined): boolean {
  return value === 'username' || value === 'password' || value === 'totp'
}

export function isSameLocator(one: RecipeLocator | undefined, other: RecipeLocator | undefined): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other)
}

/** The kind of a typed value. A recipe cannot type unknown values; `unknown-code` has six digits. */
export type TypedValue = 'username' | 'password' | 'totp' | 'unknown' | 'unknown-code'

/** Recognises typed values by their digests, so that the values stay in the page. */
export class TypedValues {
  /** Random for each recording, so that the digests are useless elsewhere. */
  readonly salt = randomBytes(16).toString('hex')
  readonly #user: TestUser | undefined

  constructor(user: TestUser | undefined) {
    this.#user = user
  }

  /** The kind of a typed value; undefined for an empty field. Call this soon: one-time passwords expire in a minute. */
  valueOf({ digests, sixDigits, empty }: Omit<TypedDigests, 'typing'>): TypedValue | undefined {
    if (empty) return undefined
    const is = (value: string) => digests.includes(this.#digest(value))
    const { name, password, totpSecret, totpLog } = this.#user ?? {}
    if (name !== undefined && is(name)) return 'username'
    if (password !== undefined && is(password)) return 'password'
    if (totpSecret !== undefined && wasOneTimePassword(totpSecret, is, totpLog)) return 'totp'
    return sixDigits ? 'unknown-code' : 'unknown'
  }

  #digest(value: string): string {
    return createHash('sha256')
      .update(this.salt + value.trim())
      .digest('hex')
  }
}
