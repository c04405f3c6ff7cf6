"""Proofs about programs for all sizes at once, as equality of Presburger sets (`tadc[prove]`: islpy)."""

from tadc.prove.proofs import Proof, Report, prove

__all__ = ["Proof", "Report", "prove"]
