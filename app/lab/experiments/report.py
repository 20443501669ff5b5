"""Draws the plots of an experiment's results, and a page of them. Writes no file.

usage: report.py results.json   prints a JSON object: the contents of EXPERIMENT-PLOT.svg and report.html by their names
       report.py --plot PLOT    prints the SVG of PLOT, a plot as in results.json, as JSON

`throng experiments run` and `throng eval --leaks --plot` run it and write the files. A plot has a title, labels of both axes, log_x, log_y,
and series with a name and points. Over "categories", the points are bars, and x is the index of a category. "published"
series are figures of a paper.
"""
import sys

sys.path = [folder for folder in sys.path if folder]  # no module of the folder that the user works in

import io
import json

# The exit status is that of the program: 4 if a module is missing.
try:
    import matplotlib
    matplotlib.use("svg")
    import jinja2
    from matplotlib import pyplot
except ImportError as error:
    print(error)
    sys.exit(4)

matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "throng", "font.family": "sans-serif", "font.size": 9,
    "axes.grid": True, "grid.color": "#e4e7eb", "axes.axisbelow": True, "axes.spines.top": False,
    "axes.spines.right": False, "legend.frameon": False,
    # Okabe and Ito's colors, which color-blind readers can distinguish, darker.
    "axes.prop_cycle": matplotlib.cycler(
        color=["#0072b2", "#d55e00", "#009e73", "#a8488a", "#8c6d00", "#3f8fc4", "#5b5b5b", "#b02a37"]),
})


def drawable(plot, series):
    """Returns the points that the scales of the plot can show."""
    return [(x, y) for x, y in series["points"]
            if None not in (x, y) and not (plot["log_x"] and x <= 0) and not (plot["log_y"] and y <= 0)]


def draw_bars(axes, plot):
    series = plot["series"]
    width = 0.8 / max(len(series), 1)
    for index, each in enumerate(series):
        points = drawable(plot, each)
        bars = axes.bar([x + (index + 0.5) * width - 0.4 for x, _ in points], [y for _, y in points], 0.92 * width,
                        label=each["name"], fill=not each["published"])
        color = f"C{index}"
        for bar in bars:
            bar.set_edgecolor(color)
            bar.set_linestyle("--" if each["published"] else "-")
        if len(series) * len(plot["categories"]) <= 24:
            axes.bar_label(bars, [f"{y:.3g}" for _, y in points], fontsize=7, padding=1)
    crowded = len(plot["categories"]) * max(map(len, plot["categories"])) > 90
    axes.set_xticks(range(len(plot["categories"])), plot["categories"], rotation=30 if crowded else 0,
                    ha="right" if crowded else "center")
    axes.grid(False, axis="x")


def draw_lines(axes, plot):
    for index, each in enumerate(plot["series"]):
        points = drawable(plot, each)
        axes.plot([x for x, _ in points], [y for _, y in points], label=each["name"],
                  linestyle="--" if each["published"] else "-", markersize=4.5,
                  marker="os^D"[index % 4] if len(points) <= 60 else None,
                  markerfacecolor="white" if each["published"] else None)
    for axis, log in ((axes.xaxis, plot["log_x"]), (axes.yaxis, plot["log_y"])):
        if not log:
            axis.set_major_locator(matplotlib.ticker.MaxNLocator(8, steps=[1, 2, 5, 10]))
    if plot["log_x"]:
        axes.set_xscale("log")


def svg(plot):
    """Returns the plot as a whole SVG document."""
    figure, axes = pyplot.subplots(figsize=(7.6, 4.2), layout="constrained")
    axes.set_title(plot["title"], loc="left", fontweight="bold")
    axes.set_xlabel(plot["x_label"])
    axes.set_ylabel(plot["y_label"])
    if any(drawable(plot, each) for each in plot["series"]):
        if plot["log_y"]:
            axes.set_yscale("log")
        (draw_bars if plot["categories"] else draw_lines)(axes, plot)
        if not plot["log_y"] and axes.get_ylim()[0] > 0:
            axes.set_ylim(bottom=0)
        axes.legend()
    else:
        axes.text(0.5, 0.5, "no data", transform=axes.transAxes, ha="center")
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    return out.getvalue()


def is_number(cell):
    return cell != "" and all(letter in "0123456789.+-eE%x" for letter in cell)


PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Throng: the papers' experiments, measured on this machine</title>
<style>
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,"DejaVu Sans",sans-serif;max-width:880px;margin:0 auto;padding:24px}
h2{margin:44px 0 2px;padding-top:14px;border-top:1px solid #8884}.soft{color:#7a848e;font-size:14px}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums;margin:6px 0 14px}
th,td{text-align:left;padding:3px 10px;border-bottom:1px solid #8884}.n{text-align:right;white-space:nowrap}
.wide{overflow-x:auto}figure{margin:14px 0;background:#fff}svg{width:100%;height:auto}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;font-size:14px}dd{margin:0;overflow-wrap:anywhere}
nav a{margin-right:14px}
</style></head><body>
{% macro pairs(list) %}<dl>{% for key, value in list %}<dt>{{ key }}</dt><dd>{{ value }}</dd>{% endfor %}</dl>{% endmacro %}
{% macro bullets(lines) %}{% if lines %}<ul>{% for line in lines %}<li>{{ line }}</li>{% endfor %}</ul>{% endif %}{% endmacro %}
{% macro table(title, header, rows) %}<details{% if rows|length <= 24 %} open{% endif %}><summary>{{ title }}</summary>
<div class="wide"><table><thead><tr>{% for cell in header %}<th>{{ cell }}</th>{% endfor %}</tr></thead>
<tbody>{% for row in rows %}<tr>{% for cell in row %}<td{% if is_number(cell) %} class="n"{% endif %}>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}</tbody></table></div></details>{% endmacro %}
<h1>The papers’ experiments, measured on this machine</h1>
<p class="soft">Throng {{ version }}. Filled markers and bars are measured on this machine; hollow ones and dashed lines are
published figures.</p>
{{ pairs(machine) }}
<nav>{% for part in parts %}<a href="#{{ part.name }}">{{ part.name }}</a>{% endfor %}</nav>
{% for part in parts %}<section id="{{ part.name }}"><h2>{{ part.title }}</h2>
<p class="soft">{{ part.source }} · <code>throng experiments run {{ part.name }}</code>
{%- if part.seconds > 0 %} · {{ "%.1f"|format(part.seconds) }} s{% endif %}</p>
{% if part.failure %}{{ bullets(["Not measured: " + part.failure]) }}{% else %}{{ pairs(part.settings) }}
{% for plot in part.plots %}<figure>{{ drawn[part.name, plot.name]|safe }}</figure>{% endfor %}
{{ bullets(part.findings) }}
{% for each in part.tables %}{{ table(each.title, each.header, each.rows) }}{% endfor %}
{% if part.published %}{{ table("Published figures", ["what", "value", "source"], part.published) }}{% endif %}
{{ bullets(part.missing) }}{% endif %}</section>
{% endfor %}</body></html>
"""


def main(arguments):
    if arguments[0] == "--plot":
        print(svg(json.loads(arguments[1])), end="")
        return
    with open(arguments[0], encoding="utf-8") as file:
        results = json.load(file)
    drawn = {(part["name"], plot["name"]): svg(plot) for part in results["parts"] for plot in part["plots"]}
    inline = {key: text[text.index("<svg"):] for key, text in drawn.items()}
    page = jinja2.Environment(autoescape=True, keep_trailing_newline=True).from_string(PAGE)
    files = {f"{experiment}-{name}.svg": text for (experiment, name), text in drawn.items()}
    files["report.html"] = page.render(results, drawn=inline, is_number=is_number)
    print(json.dumps(files))


if __name__ == "__main__":
    main(sys.argv[1:])
