// Filters of a page's rows. The address keeps them behind its #, so that it can be sent.
/** @type {HTMLFormElement | null} */
const form = document.querySelector('#filters')
/** @type {HTMLTableRowElement[]} */
const rows = [...document.querySelectorAll('tbody tr[id]')].filter(
  (row) => row instanceof HTMLTableRowElement,
)

if (form) {
  const fields = [...form.elements].filter(
    (field) => field instanceof HTMLSelectElement || field instanceof HTMLInputElement,
  )
  const output = /** @type {HTMLOutputElement} */ (form.querySelector('output'))
  /** @type {Map<HTMLElement, string>} */
  const texts = new Map()

  /** @param {HTMLElement} row */
  const textOf = (row) => {
    const text = texts.get(row) ?? row.textContent.toLowerCase()
    texts.set(row, text)
    return text
  }

  /** @param {HTMLElement} row */
  const matches = (row) =>
    fields.every(({ name, value }) => {
      if (name === 'text')
        return value
          .toLowerCase()
          .split(/\s+/)
          .every((word) => textOf(row).includes(word))
      return value === '' || row.dataset[name]?.split(' ').includes(value)
    })

  const apply = () => {
    for (const row of rows) row.hidden = !matches(row)
    for (const section of document.querySelectorAll('section'))
      section.hidden = section.querySelector('tbody tr:not([hidden])') === null
    const shown = rows.filter((row) => !row.hidden).length
    output.textContent = `${shown} of ${rows.length} ${form.dataset.what}`
  }

  const keep = () => {
    const chosen = new URLSearchParams(
      fields.filter(({ value }) => value !== '').map((one) => [one.name, one.value]),
    )
    history.replaceState(null, '', chosen.size === 0 ? location.pathname + location.search : `#${chosen}`)
  }

  /** The address names one row, or what to filter by. */
  const follow = () => {
    const hash = location.hash.slice(1)
    const row = rows.find(({ id }) => id === hash)
    if (row === undefined) {
      const chosen = new URLSearchParams(hash)
      for (const field of fields) {
        field.value = chosen.get(field.name) ?? ''
        // A value that a list does not have would leave it without a choice.
        if (field instanceof HTMLSelectElement && field.selectedIndex === -1) field.value = ''
      }
    } else if (row.hidden) {
      for (const field of fields) field.value = ''
    }
    apply()
    if (row === undefined) return
    for (const details of row.querySelectorAll('details')) details.open = true
    const folded = row.closest('details')
    if (folded) folded.open = true
    row.scrollIntoView()
  }

  form.addEventListener('input', () => {
    apply()
    keep()
  })
  form.addEventListener('reset', () => {
    // The fields are empty only after this event.
    setTimeout(() => {
      apply()
      keep()
    })
  })
  form.addEventListener('submit', (event) => event.preventDefault())
  addEventListener('hashchange', follow)
  form.hidden = false
  output.setAttribute('aria-live', 'polite')
  follow()
}
