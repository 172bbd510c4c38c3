/** The address of a page of another user's project begins with the project, so that a link to the page keeps it. */
const IN_PROJECT = /^\/projects\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?=\/|$)/i;

/** The project of another user that the address names. Another choice loads the document again, with its caches and streams. */
export const projectId: string | undefined = IN_PROJECT.exec(
  typeof location === 'undefined' ? '' : location.pathname,
)?.[1]?.toLowerCase();

/** The beginning of the addresses of a project's pages. */
export const pathOfProject = (id: string): string => `/projects/${id}`;
