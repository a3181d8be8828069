import { limits } from './limit-variables.ts'
import { type TargetName, targetNames } from './profiles.ts'
import { defaultAuthMethod } from './target.ts'
import { address, id, secret, setting, type Variable } from './variable-rows.ts'

// The table of all variables: the source of validation, examples in errors, and the doctor.
// `node scripts/configuration.ts` writes .env.example and docs/configuration.md from it.

const target = {
  TARGET: setting(
    'uat',
    `The deployment to check, and its safety profile: ${targetNames.join(', ')}.`,
    (v) => v.targetName,
    'embedded',
  ),
  IDP_BASE_URL: address(
    'https://login.uat.example.com',
    'The base address of the identity provider. It must equal the issuer, character for character.',
    (v) => v.baseUrl.optional(),
    'required',
  ),
  PARTNER_API_URL: address(
    'https://api.uat.example.com/partner',
    'The base address of the partner API with the Event Hub. Without it, or without PARTNER_CLIENT_ID, the areas of the Event Hub are not applicable.',
    (v) => v.baseUrl.optional(),
  ),
  JWKS_URL: address(
    'https://login.uat.example.com/jwks',
    'The address of the key set.',
    (v) => v.secureUrl.optional(),
    'jwks_uri of discovery',
  ),
  PRODUCTION_HOSTS: setting(
    'login.example.com,api.example.com',
    'The hosts of production. A production run refuses all other hosts, and any other run refuses these. Set it to none if there is no production deployment.',
    (v) => v.hostList.optional(),
    'not set; required for uat and production',
  ),
}

const application = {
  CLIENT_ID: id(
    'my-application',
    'The client identifier of the application.',
    (v) => v.credential.optional(),
    'required',
  ),
  CLIENT_SECRET: secret(
    'change-me',
    'The client secret of the application.',
    (v) => v.credential.optional(),
    'required',
  ),
  CLIENT_AUTH_METHOD: setting(
    'client_secret_basic',
    'The authentication method that the application is registered with: client_secret_basic or client_secret_post.',
    (v) => v.authMethod.default(defaultAuthMethod),
  ),
  REDIRECT_URI: address(
    'https://partner.example.com/callback',
    'A registered redirect URI of the application. The browser never loads it.',
    (v) => v.url.optional(),
    'required',
  ),
  SCOPE: setting('openid', 'The scopes to request, separated by spaces. They must include openid.', (v) =>
    v.scope.default('openid'),
  ),
  PARTNER_CLIENT_ID: id(
    'my-partner',
    'The identifier for the partner API (X-Client-Id). Plumbline never sends CLIENT_ID there unless you repeat it here.',
    (v) => v.credential.optional(),
  ),
  PARTNER_CLIENT_SECRET: secret('change-me', 'The secret for the partner API (X-Client-Secret).', (v) =>
    v.credential.optional(),
  ),
}

const user = {
  TEST_USER: id(
    'test.user@example.com',
    'The user name of the test user. Without a test user, checks that sign in are not applicable.',
    (v) => v.text.optional(),
  ),
  TEST_PASSWORD: secret('change-me', 'The password of the test user.', (v) => v.text.optional()),
  TEST_TOTP_SECRET: secret(
    'JBSWY3DPEHPK3PXP',
    'The Base32 secret of the one-time passwords of the test user, if the login asks for one.',
    (v) => v.base32.optional(),
  ),
  LOGIN_RECIPE: setting(
    'recipes/uat.json',
    'The path of a login recipe, for login pages that Plumbline does not recognise (docs/login-recipes.md).',
    (v) => v.text.optional(),
  ),
  LOGIN_TIMEOUT_SECONDS: setting(
    '30',
    'How long the browser waits for each response of the target, in seconds. A whole authorization request may take up to six times this time.',
    (v) => v.timeoutSeconds.default(15),
  ),
  REQUIRED_ACR: setting(
    'level2',
    'The authentication level to request (acr_values). Checks require at least this level in ID tokens.',
    (v) => v.text.optional(),
  ),
  ACR_ORDER: setting(
    'level1,level2',
    'All authentication levels, weakest first, so that checks can compare an acr with the requested level.',
    (v) => v.commaList.optional(),
  ),
}

const eventHub = {
  EVENT_TIME_ZONE: setting(
    'Europe/Helsinki',
    "The IANA time zone of the Event Hub's local times, or unknown. With unknown, most checks read only windows that have ended in every time zone.",
    (v) => v.timeZone.default('unknown'),
  ),
  EVENT_WINDOW_FROM: setting(
    '2026-03-02T00:00:00.000',
    'The start of a past window whose events the checks read, as a local date-time.',
    (v) => v.localDateTime.optional(),
    'found by searching back from now',
  ),
  EVENT_WINDOW_TO: setting(
    '2026-03-03T00:00:00.000',
    'The end of the window that starts at EVENT_WINDOW_FROM.',
    (v) => v.localDateTime.optional(),
  ),
  CLAIM_RECIPE: setting(
    'recipes/uat-claim.json',
    'The path of a recipe for the page on which the test user changes a claim (docs/claim-change.md).',
    (v) => v.text.optional(),
  ),
}

const others = {
  SECOND_CLIENT_ID: id(
    'other-application',
    'The client identifier of a second application. Checks present the codes and tokens of one application as the other, and load probes recognise a limit per client.',
    (v) => v.credential.optional(),
  ),
  SECOND_CLIENT_SECRET: secret('change-me', 'The secret of SECOND_CLIENT_ID.', (v) =>
    v.credential.optional(),
  ),
  SECOND_REDIRECT_URI: address(
    'https://other.example.com/callback',
    'A registered redirect URI of the second application.',
    (v) => v.url.optional(),
    'REDIRECT_URI',
  ),
  UNENTITLED_CLIENT_ID: id(
    'partner-without-events',
    'The identifier of a partner that may not use the Event Hub. Checks verify that the Event Hub refuses this partner. With it, load probes of event-search recognise a limit per client.',
    (v) => v.credential.optional(),
  ),
  UNENTITLED_CLIENT_SECRET: secret('change-me', 'The secret of UNENTITLED_CLIENT_ID.', (v) =>
    v.credential.optional(),
  ),
  SECOND_TEST_USER: id(
    'second.user@example.com',
    'The user name of a second test user, so that load probes recognise a limit per user.',
    (v) => v.text.optional(),
  ),
  SECOND_TEST_PASSWORD: secret('change-me', 'The password of the second test user.', (v) =>
    v.text.optional(),
  ),
}

const webhooks = {
  WEBHOOK_RECEIVER_URL: address(
    'https://hooks.example.com/plumbline',
    'A public https: address that forwards its requests to this machine, for example through a tunnel (docs/webhooks.md).',
    (v) => v.receiverUrl.optional(),
  ),
  WEBHOOK_RECEIVER_PORT: setting(
    '8443',
    'The local port that receives the requests to WEBHOOK_RECEIVER_URL, as plain HTTP.',
    (v) => v.port.optional(),
    'any free port',
  ),
  WEBHOOK_CLOCK_URL: address(
    'https://api.uat.example.com/test/webhook-clock',
    'The endpoint of a test deployment that advances the clock of its deliveries, so that no check waits for retries.',
    (v) => v.secureUrl.optional(),
  ),
}

const machine = {
  HTTPS_PROXY: address('http://proxy.example.com:3128', 'The proxy for requests and the browser.', (v) =>
    v.webUrl.optional(),
  ),
  NO_PROXY: setting('localhost,.internal.example.com', 'Hosts to reach without the proxy.', (v) =>
    v.text.default(''),
  ),
  NODE_EXTRA_CA_CERTS: setting(
    '/etc/ssl/certs/company.pem',
    'A PEM file with more certificate authorities to trust. Node reads this variable when it starts, from the environment only.',
    (v) => v.text.optional(),
  ),
  CHROMIUM_PATH: setting(
    '/usr/bin/chromium',
    'The executable file of the browser.',
    (v) => v.text.optional(),
    'found or installed',
  ),
  REPORT_DIR: setting('reports', 'The directory of all runs.', (v) => v.text.default('reports')),
}

const table = {
  ...target,
  ...application,
  ...user,
  ...eventHub,
  ...others,
  ...limits,
  ...webhooks,
  ...machine,
}

export type VariableName = keyof typeof table

/** The table with the type of each schema. */
export type VariableTable = typeof table

/** All variables in order. */
export const variables: Readonly<Record<VariableName, Variable>> = table
export const variableNames = Object.keys(table) as VariableName[]

/** All variables by heading. */
export const variableGroups: Readonly<Record<string, Readonly<Record<string, Variable>>>> = {
  Target: target,
  Application: application,
  'Test user': user,
  'Event Hub': eventHub,
  'Second application, partner and user': others,
  'Effects and limits': limits,
  'Webhooks (planned: ENABLE=planned)': webhooks,
  'This machine': machine,
}

/** A valid value for the target; for `embedded`, example hosts become a loopback address. */
export function exampleOf(name: VariableName, targetName: TargetName): string {
  const { example } = table[name]
  if (targetName === 'production') return example.replace('.uat.', '.')
  if (targetName === 'uat') return example
  return example.replace(/https:\/\/\w+\.uat\.example\.com/, 'http://127.0.0.1:4000')
}

export function isVariable(name: string): name is VariableName {
  return Object.hasOwn(table, name)
}
