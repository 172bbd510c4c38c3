/** Version of this software, from the package.json of the workspace; the compatible interface has a separate version. */
export const version: string;
