import { defineArea } from '../../src/check/catalogue.ts'
import { must, type Requirement, silent } from '../../src/check/requirement.ts'

const area = {
  name: 'discovery',
  title: 'Discovery',
  order: 1,
  host: 'identity-provider',
} as const

const requirements = {
  'DISCOVERY-PUBLIC': must(
    'Discovery',
    'Without credentials, a request for the discovery document returns 200.',
    'A 404 can also mean a wrong IDP_BASE_URL; it is a violation only if other endpoints of the address work.',
  ),
  'DISCOVERY-METADATA': must(
    'Discovery',
    'The discovery document is a JSON object with endpoint addresses.',
    'Its members are not specified, so one absolute URL is enough.',
  ),
  'DISCOVERY-INTROSPECTION-ADVERTISED': must(
    'Discovery',
    'The discovery document has an introspection endpoint.',
  ),
  'DISCOVERY-FIELDS': silent('Discovery', 'The members of the discovery document are not specified.'),
  'DISCOVERY-ADDRESSES': silent(
    'Discovery',
    'Whether the addresses in the discovery document equal the documented ones is not specified.',
  ),
  'DISCOVERY-ISSUER': silent(
    'Discovery',
    'Whether `issuer` in the discovery document equals the issuer of ID tokens is not specified.',
  ),
  'DISCOVERY-CAPABILITIES': silent(
    'Discovery',
    'The capabilities that the discovery document lists are not specified.',
  ),
  'DISCOVERY-MEDIA-TYPE': silent('Discovery', 'The media type of the discovery document is not specified.'),
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
