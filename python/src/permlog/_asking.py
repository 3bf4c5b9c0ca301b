"""Questions to a log: a method for each command that answers one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from permlog._arguments import Conditions, Duration, Moment, Paths, Strings, StrPath, Zone, files, given, options
from permlog._audit import Audit
from permlog._base import LogBase
from permlog._comparison import Comparison
from permlog._document import Question
from permlog._experiments import Experiments
from permlog._flow import Flow
from permlog._large_groups import LargeGroups
from permlog._plan import Plan
from permlog._report import Report
from permlog._spelling import doubt_points


class Asking(LogBase):
    """The questions that a log answers."""

    def report(
        self,
        by: Strings | None = None,
        *,
        week_start: str | None = None,
        week: str | None = None,
        from_: Moment | None = None,
        to: Moment | None = None,
        permission: str | None = None,
        where: Conditions | None = None,
        time_zone: Zone | None = None,
        as_of: Moment | None = None,
        at_once: Duration | None = None,
        without_users: Paths | None = None,
        hash_users: Paths | None = None,
        response_window: Duration | None = None,
        follow_up: Duration | None = None,
        by_limit: int | None = None,
        log_start: Moment | None = None,
    ) -> Report:
        """The weekly report.

        Parameters
        ----------
        by : str or list of str, optional
            A property of the exposure to break the rows down by, or two to cross: variant, experiment, surface, feature,
            app_version, os_version, platform, locale, country.
        week_start : {"monday", "sunday", "saturday"}, optional
            The day on which weeks begin. Weeks that do not begin on Monday are named by their first day.
        week : str, optional
            One ISO week, like "2026-W14", or the first day of a week by ``week_start``, like "2026-03-29".
        from_, to : str, date or a datetime at midnight without a zone, optional
            Exposures from this day on, and before that day, in the time zone.
        permission : str, optional
            Only this one.
        where : str, list of str or dict, optional
            Conditions on the exposure, all of which hold: "country=DE,AT", "platform!=ios", "app_version>=3.2". As a
            dict, properties with the value or values that they have: {"country": ["DE", "AT"]}.
        time_zone : str or ZoneInfo, optional
            Of days and weeks, by its IANA name. By default UTC.
        as_of : str, date or datetime, optional
            The report counts events up to this moment. By default the time of the newest event, or now if that is
            earlier.
        at_once : str or timedelta, optional
            An answer sooner than this after its prompt, or before it, is not a person's: no dialog was shown. Text
            with ms, s, m or h, like "250ms". By default 250 milliseconds; with "0s" every answer is a person's.
        without_users : path or list of path, optional
            Files of ids, one a line: answers are as if these users had no events. The log's own list
            (:meth:`exclude_users`) always holds, too.
        hash_users : path or list of path, optional
            The key of a log of hashed users, for these ids; after ``rekey`` all keys.
        response_window : str or timedelta, optional
            How long after the exposure an answer counts: text with s, m, h or d, like "30m". By default 30 minutes.
        follow_up : str or timedelta, optional
            How long a journey is followed, like "28d". By default 28 days.
        by_limit : int, optional
            How many values of ``by`` get rows of their own: those with the most exposures. By default 1000.
        log_start : str, date or datetime, optional
            Events before this moment may be missing. By default the time of the oldest event.

        Returns
        -------
        Report

        Raises
        ------
        UsageError
            If an argument is wrong, or a value of a condition is not in the log.
        FailedError
            If there is no log.
        DataError
            If the log is damaged.
        """
        chosen = options(**given(locals()))
        return Report(self._question("report", chosen))

    def large_groups(
        self, small_groups: int, *, by: str | None = None, permission: str | None = None, as_of: Moment | None = None
    ) -> LargeGroups:
        """Groups of users of at least a size, so that no number tells about fewer people.

        Parameters
        ----------
        small_groups : int
            The least users who granted, and the least who did not, of each group. Always use the same number for one log.
        by : str, optional
            A property of the exposure to divide users by.
        permission : str, optional
            Only this one.
        as_of : str, date or datetime, optional
            The report counts events up to this moment. By default the time of the newest event, or now if that is earlier.

        Returns
        -------
        LargeGroups
            Its tables are ``spans``, ``values`` and ``answers``.
        """
        return LargeGroups(self._question("report", options(**given(locals()))))

    def compare(
        self,
        *messages: str,
        permission: str | None = None,
        experiment: str | None = None,
        variant_from: str | None = None,
        screen: str | None = None,
        property: str | None = None,
        metric: str | None = None,
        split: str | Sequence[float] | None = None,
        contaminated: str | None = None,
        minimum_effect: float | None = None,
        adjust: Strings | None = None,
        guardrail: Strings | Mapping[str, float] | None = None,
        plan: StrPath | None = None,
        record: bool = False,
        rule: str | None = None,
        planned_n: int | None = None,
        looks: int | None = None,
        from_: Moment | None = None,
        to: Moment | None = None,
        where: Conditions | None = None,
        by: str | None = None,
        time_zone: Zone | None = None,
        as_of: Moment | None = None,
        at_once: Duration | None = None,
        without_users: Paths | None = None,
        hash_users: Paths | None = None,
        response_window: Duration | None = None,
        follow_up: Duration | None = None,
        explain: bool = False,
    ) -> Comparison:
        """Compares messages with the first of them, the control.

        Parameters
        ----------
        *messages : str
            The control and one or more others. Leave them out with ``plan``, which names them.
        permission : str, optional
            Needed if the log has these messages for several permissions.
        experiment : str, optional
            Only screens of this experiment.
        variant_from : {"screen", "answer"}, optional
            The event that has the message. With ``answer`` only users who answered are compared, and only if nearly all
            did. By default the screen.
        screen : {"permission", "settings"}, optional
            The screens with the messages: the permission's (by default), or Settings prompts after a denial.
        property : str, optional
            Compare values of this property of the exposure instead of messages. The result says what differs, but
            names no winner.
        metric : str, optional
            grant_rate (by default), granted_by_day_28, deny_rate, skip_rate, drop_off_rate, prompt_grant_rate,
            retention_day_7, kept_by_day_28. Of Settings prompts settings_enabled (by default), settings_opened,
            retention_day_7.
        split : str or list of numbers, optional
            The split of the users, control first, like "2:1" or [2, 1]; with changes on days
            "90:10; from 2026-01-12 50:50". By default even, as an assumption.
        contaminated : {"first", "exclude"}, optional
            Users with multiple exposures count for the first message (by default), or not at all.
        minimum_effect : float, optional
            The smallest difference that matters, in percentage points. By default 1; for a saved plan, its effect.
        adjust : str or list of str, optional
            Properties to adjust the decision for, chosen before outcomes are seen.
        guardrail : dict, str or list of str, optional
            Metrics that must not become worse by more than this many percentage points: {"drop_off_rate": 1}.
        plan : path, optional
            A file saved by :meth:`plan`; it fixes everything that the decision depends on.
        record : bool
            Keep the looks in a file next to the plan.
        rule : {"daily", "always-valid"}, optional
            How to decide. By default a look on every finished day.
        planned_n : int, optional
            Users of both messages together at which a decision is expected. By default 4 times the users of the first
            seven days with exposures, from 200 to 200,000.
        looks : int, optional
            Decide at this number of looks, evenly spaced up to ``planned_n``.
        from_, to : str, date or a datetime at midnight without a zone, optional
            The first day of the test, and the day after the last. Users who saw a message of it before are left out.
        where : str, list of str or dict, optional
            Conditions on the exposure, as in :meth:`report`.
        by : str, optional
            Compare within each value of a property, too.
        time_zone, as_of, at_once, response_window, follow_up, without_users, hash_users : optional
            As in :meth:`report`.
        explain : bool
            Add the method, formula and source of each number as ``data["explain"]``.

        Returns
        -------
        Comparison

        Raises
        ------
        UsageError
            If an argument is wrong, or the log has no such message.
        FailedError
            If there is no log.
        DataError
            If the log, or the record of the looks, is damaged.
        """
        chosen = options(**given(locals()))
        return Comparison(self._question("compare", chosen, messages), options(record=record))

    def experiments(
        self,
        permission: str | None = None,
        *,
        split: Mapping[str, str | Sequence[float]] | None = None,
        from_: Mapping[str, Moment] | None = None,
        all: bool = False,
        time_zone: Zone | None = None,
        as_of: Moment | None = None,
        at_once: Duration | None = None,
        without_users: Paths | None = None,
        hash_users: Paths | None = None,
        response_window: Duration | None = None,
        follow_up: Duration | None = None,
    ) -> Experiments:
        """Every experiment in the log with its messages and its decision, by the defaults of :meth:`compare`.

        Parameters
        ----------
        permission : str, optional
            Only its experiments.
        split : mapping, optional
            The planned splits, like {"push_copy": "90:10"}. By default an even one is assumed.
        from_ : mapping, optional
            First days of experiments, like {"push_copy": "2026-03-10"}. Users who saw a message before are left out.
        all : bool
            Compare all of them, and not only the 200 with the most users.
        time_zone, as_of, at_once, response_window, follow_up, without_users, hash_users : optional
            As in :meth:`report`.

        Returns
        -------
        Experiments

        Raises
        ------
        PermlogError
            As :meth:`report`.
        """
        chosen = options(**given(locals()))
        return Experiments(self._question("experiments", chosen))

    def audit(
        self,
        info_plist: Paths | None = None,
        *,
        source: Paths | None = None,
        threshold: Mapping[str, float] | None = None,
        all: bool = False,
        examples: int | None = None,
        permission: str | None = None,
        only: Strings | None = None,
        week_start: str | None = None,
        week: str | None = None,
        from_: Moment | None = None,
        to: Moment | None = None,
        where: Conditions | None = None,
        time_zone: Zone | None = None,
        as_of: Moment | None = None,
        at_once: Duration | None = None,
        without_users: Paths | None = None,
        hash_users: Paths | None = None,
        log_start: Moment | None = None,
    ) -> Audit:
        """What the log and the Info.plist say about how the app asks.

        Parameters
        ----------
        info_plist : path or list of paths, optional
            The app's Info.plist, as a file, in a built ``.app``, or as an Xcode project; several for extensions.
        source : path or list of paths, optional
            Folders with the app's Swift and Objective-C: calls that ask are compared with the Info.plist and the log.
        threshold : dict, optional
            Report a finding from this share of users, in per cent: {"cold_ask": 25}.
        all : bool
            Also list the checks without a finding.
        examples : int, optional
            Name this many users of each finding, 0 to 100. By default 0.
        permission : str, optional
            Only findings of this permission, and findings without a permission.
        only : str or list of str, optional
            Look only at these checks, like ["feed_stopped", "no_activity"]. ``Audit.only`` has them.
        week_start, week, from_, to, where, time_zone, as_of, at_once, log_start, without_users, hash_users : optional
            As in :meth:`report`.

        Returns
        -------
        Audit

        Raises
        ------
        PermlogError
            As :meth:`report`; a UsageError also for an Info.plist that cannot be read.
        """
        fields = given(locals())
        fields["info_plist"] = None if info_plist is None else files(info_plist)
        fields["source"] = None if source is None else files(source)
        chosen = options(**fields)
        return Audit(self._question("audit", chosen))

    def flow(
        self,
        steps: Strings | None = None,
        *,
        permission: str | None = None,
        week_start: str | None = None,
        week: str | None = None,
        from_: Moment | None = None,
        to: Moment | None = None,
        where: Conditions | None = None,
        time_zone: Zone | None = None,
        as_of: Moment | None = None,
        at_once: Duration | None = None,
        without_users: Paths | None = None,
        hash_users: Paths | None = None,
        response_window: Duration | None = None,
    ) -> Flow:
        """What happens when several permissions are asked for in a row.

        Parameters
        ----------
        steps : list of str, optional
            The flow that the app intends: up to 8 permissions in their order.
        permission : str, optional
            Only this permission in the tables by position and by the previous outcome.
        week_start, week, from_, to, where, time_zone, as_of, at_once, response_window, without_users, hash_users : optional
            As in :meth:`report`.

        Returns
        -------
        Flow

        Raises
        ------
        PermlogError
            As :meth:`report`.
        """
        chosen = options(**given(locals()))
        return Flow(self._question("flow", chosen))

    def plan(
        self,
        *messages: str,
        permission: str | None = None,
        effect: float | None = None,
        users: int | None = None,
        days: int | None = None,
        baseline: float | None = None,
        traffic: float | None = None,
        variants: int | None = None,
        power: float | None = None,
        looks: int | None = None,
        effect_sd: float | None = None,
        save: StrPath | None = None,
        experiment: str | None = None,
        screen: str | None = None,
        metric: str | None = None,
        split: str | Sequence[float] | None = None,
        from_: Moment | None = None,
        to: Moment | None = None,
        contaminated: str | None = None,
        minimum_effect: float | None = None,
        adjust: Strings | None = None,
        guardrail: Strings | Mapping[str, float] | None = None,
        time_zone: Zone | None = None,
        as_of: Moment | None = None,
        at_once: Duration | None = None,
        without_users: Paths | None = None,
        hash_users: Paths | None = None,
        response_window: Duration | None = None,
        follow_up: Duration | None = None,
    ) -> Plan:
        """How many users and days an experiment needs, or the difference that a given number can find.

        Parameters
        ----------
        *messages : str
            The messages, the control first: for ``save``, and instead of ``variants``.
        permission : str, optional
            The permission whose rate and traffic the plan starts from.
        effect : float, optional
            The difference to find, in percentage points (2 is from 50 % to 52 %; not 0.02). By default 1.
        users, days : int, optional
            Instead of ``effect``: the difference that this many users per message, or this many days, can find.
        baseline : float, optional
            The control's rate in percent (60, not 0.6), instead of the log's.
        traffic : float, optional
            Exposures a day, all messages together, instead of the log's.
        variants : int, optional
            Messages, the control included. By default 2.
        power : float, optional
            The chance of finding the effect, in percent. By default 80.
        looks : int, optional
            Declared looks of the group-sequential design. By default 5.
        effect_sd : float, optional
            For Test & Roll: how far apart the messages of such tests are, as a standard deviation in percentage points.
            By default that of the log's decided tests.
        save : path, optional
            A new file to save the plan to, for ``compare(plan=…)``.
        experiment, screen, metric, split, from_, to, contaminated, minimum_effect, adjust, guardrail : optional
            As in :meth:`compare`; a saved plan fixes them.
        time_zone, as_of, at_once, response_window, follow_up, without_users, hash_users : optional
            As in :meth:`report`.

        Returns
        -------
        Plan

        Raises
        ------
        PermlogError
            As :meth:`compare`.

        Warns
        -----
        PermlogWarning
            If the effect is below 0.5, or the baseline below 1: they look like shares of 1.
        """
        doubt_points(effect=(effect, 0.5), baseline=(baseline, 1))
        chosen = options(**given(locals()))
        return Plan(self._question("plan", chosen, messages), options(save=save))

    def _question(self, command: str, chosen: list[str], operands: Sequence[str] = ()) -> Question:
        return Question(command, [*self._threads(), *chosen], operands, self._name)
