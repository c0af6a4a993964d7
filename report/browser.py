"""Opens a page in Chromium, runs a script in it as a user would click, and takes its picture."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

_CHROMIUM = next(pathlib.Path(__file__).absolute().parents[2].glob("*chromium/chromium"))
_CONSOLE = re.compile(r'^\[[^\]]*:CONSOLE:\d+\] "(.*)", source: \S*( \(\d+\))?$', re.MULTILINE | re.DOTALL)
_ANSWER = "ANSWER "


class BrowserError(RuntimeError):
    """Chromium failed, or gave no answer."""


def look_at(page: pathlib.Path, script: str, picture: pathlib.Path, width: int = 1400, height: int = 1000) -> tuple[dict, list[str]]:
    """What the script answers (it calls `answer(object)` once), and everything else that came out on the page's console, errors too.

    Args:
      page: the HTML file. A copy of it is opened, with nothing but files within reach.
      script: JavaScript, run after the page's own.
      picture: the PNG to write, of what the window shows when the script is through.
      width: of the window, CSS pixels.
      height: likewise.

    Raises BrowserError.
    """
    with tempfile.TemporaryDirectory(prefix="kindling_") as folder:
        copy = pathlib.Path(folder) / page.name
        answer = f'const answer = (what) => console.log("{_ANSWER}" + JSON.stringify(what));'
        copy.write_text(page.read_text().replace("</body>", f"<script>{{ {answer}\n{script} }}</script></body>"))
        command = [_CHROMIUM, "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--enable-logging=stderr"]
        command += [f"--user-data-dir={folder}/profile", f"--screenshot={picture}", f"--window-size={width},{height}", copy.as_uri()]
        done = subprocess.run(command, env=os.environ | {"HOME": folder, "XDG_CACHE_HOME": folder}, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if ":CONSOLE:" in line]
    said = [match[1] for match in map(_CONSOLE.match, lines) if match]
    answers = [json.loads(text.removeprefix(_ANSWER)) for text in said if text.startswith(_ANSWER)]
    others = [text for text in said if not text.startswith(_ANSWER)]
    if done.returncode or not picture.exists() or len(said) != len(lines):
        raise BrowserError(f"Chromium failed (exit code {done.returncode}): {done.stderr[-2000:]}")
    if len(answers) != 1:
        raise BrowserError(f"{len(answers)} answers; on the console: {others}")
    return answers[0], others
