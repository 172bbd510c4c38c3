/** Applications that have a separate component in Langflow, spelled as in the component types. */
const apps = [
  'Agiled', 'Airtable', 'Apollo', 'Asana', 'Attio', 'Bitbucket', 'Bolna', 'Brandfetch', 'Brightdata', 'Calendly',
  'Canva', 'Canvas', 'Coda', 'Contentful', 'Digicert', 'Discord', 'Dropbox', 'ElevenLabs', 'Exa', 'Figma', 'Finage',
  'Firecrawl', 'Fireflies', 'Fixer', 'Flexisign', 'Freshdesk', 'GitHub', 'GoogleBigQuery', 'GoogleCalendar',
  'GoogleClassroom', 'GoogleDocs', 'GoogleMeet', 'GoogleSheets', 'GoogleTasks', 'Heygen', 'Instagram', 'Jira',
  'Jotform', 'Klaviyo', 'Linear', 'Listennotes', 'Mem0', 'Miro', 'Missive', 'Monday', 'Notion', 'OneDrive', 'Outlook',
  'Pandadoc', 'PeopleDataLabs', 'PerplexityAI', 'Reddit', 'SerpAPI', 'Slack', 'Slackbot', 'Snowflake', 'Supabase',
  'Tavily', 'TimelinesAI', 'Todoist', 'Wrike', 'YouTube', 'Youtube', 'GoogleDrive', 'Linkedin', 'Twitter', 'Github',
] as const; // prettier-ignore

/** The component types of all applications except Gmail, including the earliest types of a few. */
export const composioAppTypes: readonly string[] = [
  ...apps.map((app) => `Composio${app}APIComponent`),
  'GmailAPI',
  'GoogleCalendarAPI',
  'GoogleSheetsAPI',
  'SlackAPI',
  'OutlookAPI',
  'GithubAPI',
];

/** Returns Composio's name for the application of a type: "googlecalendar" for ComposioGoogleCalendarAPIComponent. */
export function composioToolkit(type: string): string {
  return type
    .replace(/^ext:[^:]+:|@[^@]+$/g, '')
    .replace(/^Composio/, '')
    .replace(/API(Component)?$|Component$/, '')
    .toLowerCase();
}
