const MAXIMUM_PAGES = 30;

export interface FormFollower {
  /** What is typed into fields of these names. */
  readonly fields: Readonly<Record<string, string>>;
  /** Whether an address is where the pages lead; it is not opened. */
  readonly isEnd?: (address: URL) => boolean;
}

/**
 * Opens a page as a browser without scripts does: follows redirects, keeps cookies, and submits the first form of each page. Resolves to
 * the address that ends it, or to the text of a page without a form.
 */
export async function followForms(
  start: string,
  { fields, isEnd = () => false }: FormFollower,
): Promise<{ readonly address: URL; readonly text: string }> {
  const cookies = new Map<string, string>();
  let address = new URL(start);
  let body: URLSearchParams | null = null;
  for (let count = 0; count < MAXIMUM_PAGES; count += 1) {
    if (isEnd(address)) return { address, text: '' };
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer: Response = await fetch(address, {
      method: body === null ? 'GET' : 'POST',
      headers: { cookie },
      body,
      redirect: 'manual',
    });
    for (const one of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    const text = await answer.text();
    body = null;
    if (location !== null) {
      address = new URL(location, address);
      continue;
    }
    const form = /<form[^>]*>([\s\S]*?)<\/form>/.exec(text);
    if (form === null) return { address, text };
    address = new URL(
      /action="([^"]+)"/.exec(form[0])?.[1]?.replaceAll('&amp;', '&') ?? address.href,
      address,
    );
    body = new URLSearchParams(
      [...(form[1] ?? '').matchAll(/<input[^>]*>/g)].flatMap(([input]): [string, string][] => {
        const name = /name="([^"]+)"/.exec(input)?.[1];
        if (name === undefined) return [];
        return [[name, fields[name] ?? /value="([^"]*)"/.exec(input)?.[1] ?? '']];
      }),
    );
  }
  throw new Error(`the pages after ${start} do not end: ${address.href}`);
}
