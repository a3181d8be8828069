import type { RecipeLocator } from '../recipe.ts'

/** What stands around an element that was used. */
export interface Surroundings {
  /** In a dialogue or bar over the page that holds no field itself. */
  readonly overlay: boolean
  /** In a dialogue about cookies. */
  readonly cookies: boolean
  /** The page has visible fields to type into. */
  readonly fields: boolean
  /** First heading of the page; empty where there is none. */
  readonly heading: string
}

/** What somebody did on a page. Of what was typed it holds nothing. */
export interface Deed extends Surroundings {
  readonly did: 'type' | 'enter' | 'click' | 'toggle' | 'select'
  /** The same for the same element of a document. */
  readonly element: number
  /** Ways to point to the element, the best one first. */
  readonly at: readonly RecipeLocator[]
  /** Number of the typing, under which its digests come. */
  readonly typing?: number
  /** Typed into a field that hides it. */
  readonly hidden?: boolean
  /** Label of the option. */
  readonly option?: string
}

/** SHA-256 of what a field holds, salted, in hexadecimal: with and without the spaces in it. */
export interface Digests {
  readonly typing: number
  readonly digests: readonly string[]
  /** Six digits, as one-time passwords are. */
  readonly sixDigits: boolean
  readonly empty: boolean
}

/** What the page hands over. */
export type Report = { readonly deed: Deed } | { readonly typed: Digests } | { readonly beyond: string }
