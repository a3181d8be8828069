import { check } from './requirements.ts'

check(
  'PLATFORM-URL-VERSION',
  'parts of addresses that look like a version are recorded',
  async ({ discovery, target, observe }) => {
    const addresses = [target.issuer, target.partnerApiUrl, ...Object.values(await discovery.metadata())]
    const versions = addresses
      .filter((address) => typeof address === 'string' && URL.canParse(address))
      .flatMap((address) => new URL(String(address)).pathname.split('/'))
      .filter((segment) => /^v\d{1,3}(\.\d{1,3})?$/i.test(segment))
    observe('versioning.address-segments', [...new Set(versions)].sort())
  },
)

check(
  'PLATFORM-DEPRECATION',
  'headers that announce a deprecation are recorded',
  async ({ discovery, observe }) => {
    const responses = [await discovery.response(), await discovery.keySet()]
    const names = ['deprecation', 'sunset'].filter((name) =>
      responses.some((response) => response.header(name) !== undefined),
    )
    observe('versioning.announcing-headers', names)
  },
)
