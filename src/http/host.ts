/** A host in the form of sockets and certificates: an IPv6 address (`[::1]` in a URL) without its brackets. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}
