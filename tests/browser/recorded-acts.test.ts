import { describe, expect, test } from 'vitest'
import type { RecordedAction } from '../../src/recording/intended-actions.ts'
import { cancelRecipe, signInRecipe } from '../../src/recording/recipe-from-actions.ts'

const button = (name: string) => ({ role: 'button', name, exact: true })
const field = (label: string) => ({ label, exact: true })

let elements = 0
/** Something that was done in the first document, on a page with fields, after something happened there. */
function act(did: RecordedAction['did'], changes: Partial<RecordedAction> = {}): RecordedAction {
  elements += 1
  const surroundings = { overlay: false, cookies: false, fields: true, heading: '' }
  const place = { element: elements, at: [button('Go')], document: 'first', activity: elements }
  return { did, ...place, ...surroundings, ...changes }
}

const name = act('type', { at: [field('User')], value: 'username' })
const password = act('type', { at: [field('Password')], value: 'password' })
const go = act('click')
const login = [name, password, go]
/** On the page after the login. */
const later = (word: string, changes: Partial<RecordedAction> = {}) =>
  act('click', { at: [button(word)], document: 'second', fields: false, ...changes })

const kinds = (acts: readonly RecordedAction[]) => {
  const { recipe } = signInRecipe(acts, [])
  return [recipe.signIn?.map((step) => step.do), recipe.consent?.map((step) => step.at.name)]
}

describe('where consent begins', () => {
  test.each<[string, readonly RecordedAction[], unknown]>([
    ['nowhere', login, [['fill', 'fill', 'click'], undefined]],
    ['on a page of its own', [...login, later('Allow')], [['fill', 'fill', 'click'], ['Allow']]],
    [
      'on a page that scripts made of the login page',
      [...login, later('Allow', { document: 'first' })],
      [['fill', 'fill', 'click'], ['Allow']],
    ],
    ['after a form that sent itself', [name, password, later('Allow')], [['fill', 'fill'], ['Allow']]],
    [
      'with a question before it',
      [...login, later('No'), later('Allow', { document: 'third' })],
      [
        ['fill', 'fill', 'click'],
        ['No', 'Allow'],
      ],
    ],
    [
      'not with a dialogue about cookies alone',
      [...login, later('Fine', { cookies: true })],
      [['fill', 'fill', 'click', 'click'], undefined],
    ],
    ['not without a login', [later('Enter')], [['click'], undefined]],
  ])('%s', (_, acts, expected) => {
    expect(kinds(acts)).toEqual(expected)
  })

  test('if its first control is also on the login page, another element identifies it', () => {
    const same = (heading: string) => signInRecipe([...login, later('Go', { heading })], ['alice'])
    expect(same('Share your data').recipe.consentPage).toEqual({
      role: 'heading',
      name: 'Share your data',
      exact: true,
    })
    for (const heading of ['', 'Alice, share your data', 'Order 20261']) {
      const { recipe, remarks } = same(heading)
      expect(recipe.consentPage).toBeUndefined()
      expect(remarks).toEqual([expect.stringContaining('set consentPage to an element')])
    }
  })
})

describe('unintended actions are removed', () => {
  const again = (acts: readonly RecordedAction[]) => acts.map((one) => ({ ...one, document: 'second' }))

  const inPassword = { ...password, value: 'username', hidden: true } as const
  const hidden = { ...password, hidden: true }
  const inName = { ...name, value: 'password' } as const
  const select = act('select', { at: [field('Tenant')], option: 'Red' })

  test.each<[string, readonly RecordedAction[]]>([
    [
      'a user name in the field of the password, which the browser stops',
      [inPassword, { ...go, activity: hidden.activity }, { ...name, activity: hidden.activity }, hidden, go],
    ],
    ['a user name in the field of the password, which the page refuses', [inPassword, go, name, hidden, go]],
    ['and which is submitted', [inPassword, go, ...again([name, hidden, go])]],
    ['two values in the fields of each other', [inName, inPassword, go, ...again([name, hidden, go])]],
    ['a user name in both fields', [name, inPassword, go, ...again([hidden, go])]],
    ['a wrong password before the user name', [{ ...password, value: 'unknown' }, go, name, password, go]],
    ['a field typed into twice', [{ ...name, value: 'unknown' }, password, name, go]],
    ['a field that was emptied', [act('type', { at: [field('Search')] }), ...login]],
    ['a second click', [...login, go]],
    ['a login that failed', [name, { ...password, value: 'unknown' }, go, ...again(login)]],
    ['a password that failed', [name, { ...password, value: 'unknown' }, go, ...again([password, go])]],
    ['another value that failed', [{ ...name, value: 'unknown-code' }, password, go, ...again(login)]],
  ])('%s', (_, acts) => {
    const { recipe, missing } = signInRecipe(acts, [])
    expect(recipe).toEqual(signInRecipe(login, []).recipe)
    expect(missing).toEqual([])
  })

  test('a choice made together with a corrected value stays', () => {
    const show = act('click', { at: [button('Show')] })
    const wrong = { ...name, value: 'unknown' } as const
    expect(signInRecipe([wrong, select, password, show, name, go], []).recipe.signIn).toEqual([
      { do: 'select', at: field('Tenant'), option: 'Red' },
      { do: 'fill', at: field('Password'), value: 'password' },
      { do: 'fill', at: field('User'), value: 'username' },
      { do: 'click', at: button('Go') },
    ])
  })

  test('one field receives two values in succession', () => {
    const second = act('type', { at: name.at, value: 'password', hidden: true })
    const { recipe } = signInRecipe([name, go, { ...second, element: name.element }, go], [])
    expect(recipe.signIn?.map((step) => step.do)).toEqual(['fill', 'click', 'fill', 'click'])
  })

  test('a box that was ticked twice', () => {
    const box = act('toggle', { at: [field('Remember me')] })
    expect(kinds([name, password, box, go])).toEqual([['fill', 'fill', 'click', 'click'], undefined])
    expect(kinds([name, password, box, box, go])).toEqual([['fill', 'fill', 'click'], undefined])
  })
})

describe('content that a recipe may not have', () => {
  test('texts with a configured value', () => {
    const at = [button('Continue as ALICE'), { css: '#next' }]
    expect(signInRecipe([name, password, act('click', { at })], ['alice']).recipe.signIn?.at(-1)).toEqual({
      do: 'click',
      at: { css: '#next' },
    })
  })

  test('an option with a configured value is missed', () => {
    const { recipe, missing } = signInRecipe(
      [act('select', { option: 'Alice', at: [field('Account')] })],
      ['alice'],
    )
    expect({ recipe, missing }).toEqual({ recipe: {}, missing: [expect.stringContaining('option')] })
  })
})

test('a dialogue over the page need not come, but one that consents has to', () => {
  const overlay = act('click', { overlay: true, at: [button('Fine')] })
  const { recipe } = signInRecipe([overlay, ...login, later('Allow', { overlay: true })], [])
  expect(recipe.signIn?.[0]).toEqual({ do: 'click', at: button('Fine'), optional: true, timeoutMs: 2000 })
  expect(recipe.consent).toEqual([{ do: 'click', at: button('Allow') }])
  expect(cancelRecipe([overlay], []).recipe.cancel).toEqual([{ do: 'click', at: button('Fine') }])
})
