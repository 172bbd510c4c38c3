# A message with content blocks: text, code, a tool call.
from lfx.custom import Component
from lfx.io import Output
from lfx.schema.content_block import ContentBlock
from lfx.schema.content_types import CodeContent, TextContent, ToolContent
from lfx.schema.message import Message


class ContentBlocks(Component):
    display_name = "Blocks"
    inputs = []
    outputs = [Output(name="message", display_name="Message", method="build_message")]

    def build_message(self) -> Message:
        block = ContentBlock(
            title="Steps",
            contents=[
                TextContent(text="thinking"),
                CodeContent(code="1 + 1", language="python"),
                ToolContent(name="add", tool_input={"a": 1}, output=2),
            ],
        )
        return Message(text="done", content_blocks=[block], sender="Machine", sender_name="Worker")
