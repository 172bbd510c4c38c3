# A prompt whose variables the editor adds as fields of the node.
from langflow.base.prompts.api_utils import process_prompt_template
from langflow.custom import Component
from langflow.inputs.inputs import DefaultPromptField
from langflow.io import MessageTextInput, Output, PromptInput
from langflow.schema.message import Message
from langflow.template.utils import update_template_values


class PromptMaker(Component):
    display_name = "Own Prompt"
    name = "Prompt Template"
    inputs = [
        PromptInput(name="template", display_name="Template"),
        MessageTextInput(name="tool_placeholder", display_name="Tool Placeholder", tool_mode=True, advanced=True),
    ]
    outputs = [Output(name="prompt", display_name="Prompt", method="build_prompt")]

    async def build_prompt(self) -> Message:
        prompt = Message.from_template(**self._attributes)
        self.status = prompt.text
        return prompt

    def _update_template(self, frontend_node: dict):
        process_prompt_template(
            template=frontend_node["template"]["template"]["value"],
            name="template",
            custom_fields=frontend_node["custom_fields"],
            frontend_node_template=frontend_node["template"],
        )
        return frontend_node

    async def update_frontend_node(self, new_frontend_node: dict, current_frontend_node: dict):
        node = await super().update_frontend_node(new_frontend_node, current_frontend_node)
        update_template_values(new_template=node, previous_template=current_frontend_node["template"])
        return node

    def _get_fallback_input(self, **kwargs):
        return DefaultPromptField(**kwargs)
