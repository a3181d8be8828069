// Filters the rows of a page. The address stores the filters, such as `#area=token`, so that a link can contain them.
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

  const storeInAddress = () => {
    const chosen = new URLSearchParams(
      fields.filter(({ value }) => value !== '').map((one) => [one.name, one.value]),
    )
    history.replaceState(null, '', chosen.size === 0 ? location.pathname + location.search : `#${chosen}`)
  }

  /** Applies the part of the address after `#`: the id of a row, or filters. */
  const applyAddress = () => {
    const hash = location.hash.slice(1)
    const row = rows.find(({ id }) => id === hash)
    if (row === undefined) {
      const chosen = new URLSearchParams(hash)
      for (const field of fields) {
        field.value = chosen.get(field.name) ?? ''
        // A value that the list does not offer would leave no option selected.
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
    storeInAddress()
  })
  form.addEventListener('reset', () => {
    // The fields are empty only after this event.
    setTimeout(() => {
      apply()
      storeInAddress()
    })
  })
  form.addEventListener('submit', (event) => event.preventDefault())
  addEventListener('hashchange', applyAddress)
  form.hidden = false
  output.setAttribute('aria-live', 'polite')
  applyAddress()
}
