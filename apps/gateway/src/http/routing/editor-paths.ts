/** What follows `/api/v1/` in paths that only Langflow's editor calls. They answer 404 with a text that says so. */
const EDITOR_PATHS = [
  'all',
  'auto_login',
  'build',
  'build_public_tmp',
  'catalog-policy',
  'custom_component',
  'extensions',
  'files/profile_pictures',
  'flows/basic_examples',
  'flows/public_flow',
  'login',
  'logout',
  'model_options',
  'models',
  'refresh',
  'starter-projects',
  'store',
  'validate',
];

/** The detail of the 404 of a path of the editor. */
export const EDITOR_DETAIL =
  "Not Found: this path belongs to Langflow's editor, which Millrace does not have.";

/** Returns whether a path, or one above it, is of the editor. */
export function isEditorPath(path: string): boolean {
  return EDITOR_PATHS.some((end) => `${path}/`.startsWith(`/api/v1/${end}/`));
}
