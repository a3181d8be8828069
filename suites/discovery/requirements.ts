import { defineArea } from '../../src/check/catalogue.ts'
import type { Requirement } from '../../src/check/requirement.ts'

const area = {
  name: 'discovery',
  title: 'Discovery',
  order: 1,
  host: 'identity-provider',
} as const

const requirements = {
  'DISCOVERY-PUBLIC': {
    section: 'Discovery',
    level: 'must',
    statement: 'The discovery document is served to anyone, without credentials.',
    ambiguity:
      'A 404 can also mean a wrong IDP_BASE_URL; it counts only where other endpoints of the address work.',
  },
  'DISCOVERY-METADATA': {
    section: 'Discovery',
    level: 'must',
    statement: 'The discovery document is a JSON object that describes the endpoints.',
    ambiguity: 'Which members it has is not shown, so at least one absolute URL is all that is asked.',
  },
  'DISCOVERY-INTROSPECTION-ADVERTISED': {
    section: 'Discovery',
    level: 'must',
    statement: 'The discovery document names an introspection endpoint.',
  },
  'DISCOVERY-FIELDS': {
    section: 'Discovery',
    level: 'silent',
    statement: 'Which members the discovery document has is not shown.',
  },
  'DISCOVERY-ADDRESSES': {
    section: 'Discovery',
    level: 'silent',
    statement: 'Whether the discovery document names the documented addresses is not shown.',
  },
  'DISCOVERY-ISSUER': {
    section: 'Discovery',
    level: 'silent',
    statement: 'Whether the discovery document names the issuer is not shown.',
  },
  'DISCOVERY-CAPABILITIES': {
    section: 'Discovery',
    level: 'silent',
    statement: 'What the discovery document says the provider supports is not shown.',
  },
  'DISCOVERY-MEDIA-TYPE': {
    section: 'Discovery',
    level: 'silent',
    statement: 'The media type of the discovery document is not shown.',
  },
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
