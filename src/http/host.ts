/** The host as sockets and certificates write it: the IPv6 address `[::1]` of a URL becomes `::1`. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}
