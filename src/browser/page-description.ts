import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright'
import type { TestUser } from '../target/target.ts'
import { keywords } from './login-page-keywords.ts'
import { PageElements } from './page-elements.ts'
import type { RecipeLocator, RecipeStep } from './recipe.ts'

/** The texts of a page, before masking. */
interface PageTexts {
  readonly headings: readonly string[]
  /** Messages such as errors. */
  readonly messages: readonly string[]
  readonly fields: readonly {
    readonly label: string
    readonly placeholder: string
    readonly name: string
    readonly id: string
    readonly isPassword: boolean
  }[]
  /** Labels of drop-down lists; absent without lists. */
  readonly lists?: readonly string[]
  /** Labels of the lists without a chosen option; absent without such lists. */
  readonly unchosen?: readonly string[]
  readonly controls: readonly { readonly text: string; readonly isLink: boolean }[]
  /** Number of frames, which may contain the form. */
  readonly frames: number
}

/** A page that Plumbline does not recognise, for a finding. */
export interface PageDescription {
  /** Texts of the page as a clause; empty if the page shows none. */
  readonly shown: string
  /** Whether a message refuses a user name, a password or a code. */
  readonly refusesValue: boolean
  /** Labels of the lists without a chosen option; absent without such lists. */
  readonly unchosen?: readonly string[]
  /** Steps of a recipe that probably work. */
  readonly steps: readonly RecipeStep[]
}

/** Maximum number of texts of one kind, and of characters of a text. */
const [maxTexts, maxCharacters] = [6, 60]
const readTimeoutMs = 2000

/** The function runs inside the page, so it uses only `elements`. */
function readTexts(elements: PageElements): PageTexts {
  const labelOf = (field: HTMLElement) =>
    elements.labelsOf(field).join(' ') || field.getAttribute('aria-label') || ''
  const lists = elements.visible('select')
  return {
    headings: elements.headings(),
    messages: elements
      .visible('[role=alert], [role=status], [aria-live=assertive], .error, .alert')
      .map(({ innerText }) => innerText),
    fields: elements.fields().map((field) => ({
      label: labelOf(field),
      placeholder: field.placeholder,
      name: field.name,
      id: field.id,
      isPassword: field.type === 'password',
    })),
    lists: lists.map(labelOf),
    unchosen: lists.filter((list) => (list as HTMLSelectElement).value === '').map(labelOf),
    controls: elements
      .pressable()
      .map((element) => ({ text: elements.textOf(element), isLink: element.matches('a, [role=link]') }))
      .filter(({ text }) => text !== ''),
    frames: elements.visible('iframe').length,
  }
}

/**
 * Describes the current page. Omits texts that contain a secret of the test user, and masks parts that may be personal.
 * @returns undefined if the page cannot be read
 */
export async function describePage(
  page: Page,
  user: TestUser | undefined,
): Promise<PageDescription | undefined> {
  const source = `(${readTexts})(new (${PageElements})())`
  const late = sleep(readTimeoutMs, undefined, { ref: false })
  const texts = await Promise.race([page.evaluate(source).catch(() => undefined), late])
  if (texts === undefined) return undefined
  const secrets = [user?.password, user?.totpSecret].filter((secret) => secret !== undefined)
  return descriptionOf(withoutSecrets(texts as PageTexts, secrets), user?.name ?? '')
}

/**
 * Empties each text that contains a secret, in any letter case and with any characters between its letters and digits.
 * Call this before masking: a partly masked secret cannot be found.
 */
export function withoutSecrets(texts: PageTexts, secrets: readonly string[]): PageTexts {
  const known = secrets.flatMap((secret) => [secret, lettersAndDigits(secret)]).filter((text) => text !== '')
  const hasSecret = (text: string) =>
    known.some((secret) => text.includes(secret) || lettersAndDigits(text).includes(secret))
  return JSON.parse(JSON.stringify(texts), (_, value) =>
    typeof value === 'string' && hasSecret(value) ? '' : value,
  )
}

function lettersAndDigits(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** @param userName name of the test user, which is masked */
export function descriptionOf(texts: PageTexts, userName: string): PageDescription {
  const shown = (kind: string, all: readonly string[]) => {
    const masked = [...new Set(all.map((text) => withoutPersonal(text, userName)).filter(Boolean))]
    if (masked.length === 0) return []
    const more = masked.length > maxTexts ? ` and ${masked.length - maxTexts} more` : ''
    const quoted = masked.slice(0, maxTexts).map((text) => `"${text}"`)
    return [`${kind}${masked.length > 1 ? 's' : ''} ${quoted.join(', ')}${more}`]
  }
  const { headings, messages, fields, lists = [], controls, frames } = texts
  const labels = fields.map(({ label, placeholder }) => label || placeholder)
  const textsOf = (kind: 'button' | 'link') =>
    controls.filter(({ isLink }) => isLink === (kind === 'link')).map(({ text }) => text)
  const parts = [
    ...shown('heading', headings),
    ...shown('message', messages),
    ...shown('field', labels),
    ...shownNames(fields, userName),
    ...shown('list', lists),
    ...shown('button', textsOf('button')),
    ...shown('link', textsOf('link')),
    ...(frames > 0 ? [`${frames} iframe${frames > 1 ? 's' : ''}`] : []),
  ]
  const refusesValue = messages.some(isRefusal)
  const unchosen = (texts.unchosen ?? []).map((text) => withoutPersonal(text, userName)).filter(Boolean)
  return {
    shown: parts.join('; '),
    refusesValue,
    ...(unchosen.length > 0 && { unchosen }),
    steps: probableSteps(texts, userName),
  }
}

function isRefusal(message: string): boolean {
  const { wrong, user, password, totp } = keywords
  return wrong.test(message) && [user, password, totp, /\bcode\b/iu].some((value) => value.test(message))
}

function shownNames(fields: PageTexts['fields'], userName: string): string[] {
  const names = fields
    .filter(({ label, placeholder }) => !label && !placeholder)
    .flatMap(({ name, id }) => [name, id].find((each) => isPublicName(each, userName)) ?? [])
  return names.length === 0 ? [] : [`field name${names.length > 1 ? 's' : ''} ${names.join(', ')}`]
}

/** Whether a name or id was probably chosen by a developer, and is not generated or personal. */
function isPublicName(name: string, userName: string): boolean {
  const words = name.replaceAll(/\d/g, '')
  return /^[a-z][\w-]{0,39}$/i.test(name) && !/\d{3}/.test(name) && withoutPersonal(words, userName) === words
}

function isPublicText(text: string, userName: string): boolean {
  return text !== '' && withoutPersonal(text, userName) === text
}

/** A locator of a field that contains nothing personal; undefined if there is none. */
function publicLocator(
  { label, placeholder, name, id }: PageTexts['fields'][number],
  userName: string,
): RecipeLocator | undefined {
  if (isPublicText(label, userName)) return { label }
  if (isPublicText(placeholder, userName)) return { placeholder }
  if (isPublicName(name, userName)) return { css: `[name="${name}"]` }
  return isPublicName(id, userName) ? { css: `#${id}` } : undefined
}

/** Steps that fill in the fields and press the likeliest control. Omits fields and controls with personal names. */
function probableSteps({ fields, controls }: PageTexts, userName: string): RecipeStep[] {
  const typed = fields.slice(0, 2).flatMap((field): RecipeStep[] => {
    const at = publicLocator(field, userName)
    return at
      ? [{ do: 'fill', at, value: field.isPassword || field !== fields[0] ? 'password' : 'username' }]
      : []
  })
  const pressed = likeliestControl(controls.filter(({ text }) => isPublicText(text, userName)))
  if (!pressed) return typed
  const role = pressed.isLink ? 'link' : 'button'
  return [...typed, { do: 'click', at: { role, name: pressed.text } }]
}

/** A control with the name of a submit or accept button, else the first button that does not lead elsewhere. */
function likeliestControl(controls: PageTexts['controls']): PageTexts['controls'][number] | undefined {
  const { submit, accept, cancel, back, aboutPassword } = keywords
  const buttons = controls.filter(({ isLink }) => !isLink)
  const continues = ({ text }: { readonly text: string }) => submit.test(text) || accept.test(text)
  const leadsElsewhere = ({ text }: { readonly text: string }) =>
    [cancel, back, aboutPassword].some((words) => words.test(text))
  return buttons.find(continues) ?? controls.find(continues) ?? buttons.find((each) => !leadsElsewhere(each))
}

/** Words in names of test users that are not personal. Otherwise the test user `user1` would mask "User name". */
const impersonal = /^(?:test|user|demo|login|account|client|example)s?$/i

/** A greeting and the name after it: "Welcome back, Ada Lovelace". */
const greeting =
  /((?:^|[^\p{L}])(?:welcome(?: back)?|hello|hi|dear|as|not|you are|hallo|willkommen(?: zurück)?|guten tag|als|sind sie|bonjour|en tant que|hola|como|ciao|come|hej|hei|moi|terve|tervetuloa)[,!:]?\s+)(\p{Lu}[\p{L}’'-]*(?:\s+\p{Lu}[\p{L}’'.-]*)*)/giu

/**
 * Shortens a text to one line, and masks what may be personal: the test user, e-mail addresses, digits, names after a
 * greeting, and long words, which may be identifiers.
 */
export function withoutPersonal(text: string, userName: string): string {
  const line = text.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  const [local = ''] = userName.split('@')
  const namesOfUser = [userName, local, ...local.split(/[^\p{L}]+/u)].filter(
    (name) => name.length > 2 && !impersonal.test(name),
  )
  const withoutUser = namesOfUser.reduce(
    (partlyMasked, name) => partlyMasked.replaceAll(new RegExp(escapeRegExp(name), 'giu'), '…'),
    line,
  )
  const masked = withoutUser
    .replaceAll(/[^\s"<>]+@[^\s"<>]+/g, '…')
    .replaceAll(greeting, (whole, words: string, name: string) =>
      /^\p{Lu}/u.test(name) ? `${words}…` : whole,
    )
    .replaceAll(/\S{30,}/g, '…')
    .replaceAll(/\p{N}+/gu, '…')
    .replaceAll('"', '’')
  return masked.length > maxCharacters ? `${masked.slice(0, maxCharacters)}…` : masked
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
