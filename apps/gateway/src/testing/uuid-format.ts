/** What `format: uuid` of our documents means in an answer: hexadecimal digits with dashes, as RFC 9562 writes them. */
export const uuidFormat = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
