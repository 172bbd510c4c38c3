/** The format `uuid` in answers: hexadecimal digits with hyphens, as in RFC 9562. */
export const uuidFormat = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
